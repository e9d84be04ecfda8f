"""Dense retrieval: vectors of an encoder in a FAISS index."""

from ragscore.retrievers.faiss.construction import Training
from ragscore.retrievers.faiss.model import Faiss
from ragscore.retrievers.faiss.searching import FaissIndex

__all__ = ["Faiss", "FaissIndex", "Training"]
