"""Hypothesis profiles, and the garbage collector.

`ci`, the default, tries the same examples every time; `pytest --hypothesis-profile=search` tries
others, and more of them.
"""

from __future__ import annotations

import gc

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

slow = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example]
settings.register_profile(
    "ci", derandomize=True, deadline=None, database=None, suppress_health_check=slow
)
settings.register_profile("search", max_examples=500, deadline=None, suppress_health_check=slow)
settings.load_profile("ci")

# The reference makes tuples by the million, in no cycles: looking for cycles among them took a
# quarter of the suite's time.
gc.set_threshold(200_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def imported_once():
    """Hypothesis imports these when first drawn from, which threads must not do at once."""
    st.randoms().validate()
