"""An S3-compatible server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import pytest


@contextmanager
def s3_bucket() -> Iterator[str]:
    """The URL of an empty bucket, where s3fs and moto are installed; whoever looks into the
    environment, processes begun meanwhile too, finds the server and its keys there."""
    s3fs = pytest.importorskip("s3fs")
    moto = pytest.importorskip("moto.server")
    server = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    _, port = server.get_host_and_port()
    changed = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        "AWS_ACCESS_KEY_ID": "testing-id",
        "AWS_SECRET_ACCESS_KEY": "testing-secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    with pytest.MonkeyPatch.context() as environment:
        for name, value in changed.items():
            environment.setenv(name, value)
        try:
            # A server that was there before in this process has left its buckets.
            bucket = f"bucket-{uuid4().hex}"
            s3fs.S3FileSystem(skip_instance_cache=True).mkdir(bucket)
            yield f"s3://{bucket}"
        finally:
            server.stop()
