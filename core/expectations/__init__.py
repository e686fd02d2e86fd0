"""Expectations: what should be seen in a video, and the verdicts on it.

``grammar`` understands the sentence, ``screen`` and ``matching`` find its texts, ``presence`` and ``happenings`` judge.
"""

from core.expectations.claims import demand_evidence
from core.expectations.judge import check_expectations, judge, judge_all, read_sidecar

__all__ = ["check_expectations", "demand_evidence", "judge", "judge_all", "read_sidecar"]
