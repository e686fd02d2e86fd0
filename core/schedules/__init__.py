"""Schedules: words or cron expressions become times, in a zone, through every change of its clock.

``phrases`` and ``days`` are the table of phrases, ``cron`` hands expressions to ``cronsim``, ``parser`` takes either,
``firings`` tells when, ``missed`` what to make up for, ``section`` keeps them in HEARTBEAT.md.
"""
