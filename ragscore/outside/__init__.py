"""Systems and services outside: what is sent to them, how often, and what comes back."""
