"""What to do where an embeddings service encodes nothing at all."""

from __future__ import annotations

from ragscore.encoders.endpoint.options import EndpointOptions
from ragscore.errors import ConfigError
from ragscore.outside.repeating import FailedCall
from ragscore.outside.secrets import variables_in

REFUSES_KEY = frozenset({401, 403})
KNOWS_NOT = frozenset({404, 405})
TOO_MANY = 429


def refusal(options: EndpointOptions, failed: FailedCall) -> ConfigError:
    """The error to raise where no text is the cause of a failure.

    Args:
        options: of the service.
        failed: the call that failed for good.
    """
    times = f" (asked {failed.attempts:,} times)" if failed.attempts > 1 else ""
    what = f"{failed.error}{times}"
    return ConfigError(what, where=options.where, instead=_instead(options, failed))


def _instead(options: EndpointOptions, failed: FailedCall) -> str:
    if isinstance(failed.failure, TimeoutError):
        return "Raise timeout, or lower batch_size, batch_tokens or concurrency"
    status = failed.failure.status
    if status is None and "does not answer" in failed.error:
        return (
            f"Start the service, such as: vllm serve {options.model} (or: ollama serve), or write "
            "the url of one that runs"
        )
    if status is None:
        return "Write the url of a service that answers as OpenAI's embeddings API does"
    if status in REFUSES_KEY:
        names = " and ".join(variables_in(options.sent_headers))
        if names:
            return f"Set the environment variable {names} to a key that the service takes"
        return "Write key: ${NAME}, and set that environment variable to the service's key"
    if status in KNOWS_NOT:
        return (
            "Write the model as the service lists it (GET /v1/models), and the url of its "
            "embeddings, such as http://HOST:PORT/v1 or http://HOST:PORT/embeddings"
        )
    if status == TOO_MANY:
        return "Lower concurrency, set rate_limit, or raise retries"
    redirects = 300 <= status < 400  # what it says is enough
    return "" if redirects else "Look at what the service says and logs"
