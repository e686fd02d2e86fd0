"""Schedules: words or cron expressions become times, in a zone, through every change of its clock.

``parser`` understands them, ``description`` repeats them back, ``firings`` tells when, ``missed`` what to make up for,
``section`` keeps them in HEARTBEAT.md.
"""
