"""What every format reads with: lines, pieces and columns of files, encodings, problems."""
