"""The forms of irregular English verbs that a stem does not bring together: what was done is told in the past tense."""

from __future__ import annotations

from typing import Final

_VERBS: Final = """
become became; begin began begun; bind bound; break broke broken; bring brought; build built; buy bought; catch
caught; choose chose chosen; come came; do did done; draw drew drawn; drive drove driven; find found; fly flew flown;
forget forgot forgotten; freeze froze frozen; get got gotten; give gave given; go went gone; grow grew grown; hide hid
hidden; hold held; keep kept; know knew known; lend lent; lose lost; make made; mean meant; meet met; pay paid; ride
rode ridden; rise rose risen; run ran; say said; see saw seen; seek sought; sell sold; send sent; shake shook shaken;
show shown; speak spoke spoken; spend spent; stick stuck; take took taken; teach taught; tell told; think thought;
throw threw thrown; unfreeze unfroze unfrozen; unbind unbound; undo undid undone; understand understood; wake woke
woken; wear wore worn; win won; withdraw withdrew withdrawn; write wrote written; overwrite overwrote overwritten;
rebuild rebuilt; resend resent; rewrite rewrote rewritten
"""
INFINITIVES: Final = {form: words[0] for verb in _VERBS.split(";") for words in [verb.split()] for form in words[1:]}
