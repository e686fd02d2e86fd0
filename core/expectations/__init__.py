"""Expectations: what should be seen in a video, and the verdicts on it.

``grammar`` understands the sentence, ``screen`` and ``matching`` find its texts, ``presence`` and ``happenings`` judge.
"""

from core.expectations.asked import check_expectations, read_sidecar
from core.expectations.judge import judge, judge_all
from core.expectations.outcome import demand_evidence

__all__ = ["check_expectations", "demand_evidence", "judge", "judge_all", "read_sidecar"]
