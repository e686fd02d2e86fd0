"""Schedules: words or cron expressions become times, in a zone, through every change of its clock.

``phrases`` takes phrases or expressions, ``cron`` has the days of a phrase and hands expressions to ``cronsim``,
``firings`` says when, and what to make up for, ``book`` keeps them in HEARTBEAT.md.
"""
