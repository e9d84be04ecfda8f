"""What encoding will ask of a service."""

from __future__ import annotations

from dataclasses import dataclass

from ragscore.usage import Usage


@dataclass(frozen=True)
class PlannedRequests:
    """What encoding some texts will ask of a service.

    >>> PlannedRequests(3, Usage(100, 0.5, "USD")).part(0.5)
    PlannedRequests(requests=2, usage=Usage(tokens=50, price=0.25, currency='USD'))

    Attributes:
        requests: how many.
        usage: about how many tokens, and what they cost where a price is known.
    """

    requests: int
    usage: Usage

    def part(self, share: float) -> PlannedRequests:
        """About what a share of these texts asks for."""
        usage = self.usage
        price = None if usage.price is None else usage.price * share
        tokens = round((usage.tokens or 0) * share)
        return PlannedRequests(
            -int(-self.requests * share // 1), Usage(tokens, price, usage.currency)
        )
