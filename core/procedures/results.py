"""What came of an act: of the texts that then came to stand on the screen, the one that tells most."""

import re
from collections.abc import Callable, Iterable
from typing import Final

from core.demonstration.distinctive import is_volatile
from core.demonstration.screen_texts import ScreenTexts, Seen, is_masked

_SOON_MS: Final = 3000
_LATE_MS: Final = 10_000
"""What says that something is done may take so long to come."""
_STANDS_MS: Final = 700
_LETTERS: Final = 3
_DONE: Final = re.compile(
    r"\b(?:saved|added|created|sent|deleted|removed|taken off|done|success\w*|thank you|placed|completed?|updated"
    r"|posted|submitted|confirmed|confirmation|receipt|booked|reserved|paid|uploaded|published|archived"
    r"|moved to|installed|finished|renamed|scheduled|registered|subscribed|invited|enabled|disabled|applied|accepted"
    r"|approved|merged|exported|imported|downloaded|printed|received|restored|chosen|written|changed"
    r"|gespeichert|hinzugefügt|erstellt|angelegt|gesendet|gelöscht|entfernt|erfolgreich|fertig|abgeschlossen|bestätigt"
    r"|gebucht|bezahlt|vielen dank|enregistrée?|ajoutée?|créée?|envoyée?|supprimée?|terminée?|confirmée?|merci"
    r"|guardad[oa]|añadid[oa]|cread[oa]|enviad[oa]|eliminad[oa]|completad[oa]|confirmad[oa]|gracias"
    r"|tallennettu|lisätty|luotu|lähetetty|poistettu|valmis|vahvistettu|kiitos"
    r"|sparad|tillagd|skapad|skickad|borttagen|klart|bekräftad|tack|opgeslagen|toegevoegd|verzonden|verwijderd|bedankt"
    r"|salvat[oa]|aggiunt[oa]|creat[oa]|inviat[oa]|eliminat[oa]|completat[oa]|grazie"
    r"|сохранен\w*|добавлен\w*|создан\w*|отправлен\w*|удален\w*|удалён\w*|готово|успешно|спасибо)\b"
    "|已保存|已添加|已创建|已发送|已删除|成功|完成|谢谢|保存しました|追加しました|作成しました|送信しました|削除しました"
    "|完了|ありがとう|저장되|추가되|완료|성공|بنجاح|تم |نجاح|נשמר|נוסף|נשלח|בהצלחה",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(
    r"\b(?:baskets?|carts?|clipboard|drafts?|warenkorb|panier|carrito|ostoskori\w*|varukorg\w*|not |nothing|no |fail\w*"
    r"|error|cannot|could not|reserved for|yet|must be|please|nobody|none|never)\b|购物车|カート",
    re.IGNORECASE,
)
"""Words beside which nothing is at its end."""


def is_confirmation(text: str) -> bool:
    """Whether a text says that something is done with."""
    return _DONE.search(text) is not None and _GOES_ON.search(text) is None


class Results:
    """Looks for them.

    Args:
        texts: of the recording.
        is_concealed: whether a text must be concealed.
        typed: what came letter by letter, which is no result.

    """

    def __init__(self, texts: ScreenTexts, is_concealed: Callable[[str], bool], typed: Iterable[str]) -> None:
        self._texts = texts
        self._is_concealed = is_concealed
        self._typed = frozenset(typed)

    def after(self, t_ms: int, until_ms: int) -> Seen | None:
        """The text that tells most of what came between an act and the next one."""
        end = min(until_ms, t_ms + _LATE_MS)
        came = [
            one
            for one in self._texts.came(t_ms, end)
            if self._may_be_reported(one) and not self._is_known(one, t_ms) and _stands(one, until_ms)
        ]
        reported = [one for one in came if is_confirmation(one.text)]
        soon = [one for one in came if one.t_ms <= t_ms + _SOON_MS]
        # Of what came late, only what says so is taken for something that came of it.
        return max(reported or soon, key=lambda one: (one.box[3] // 4, -one.t_ms // 500, -one.box[1]), default=None)

    def came(self, since_ms: int, until_ms: int) -> list[Seen]:
        """The texts that appeared in a time and are not concealed."""
        return [
            one
            for one in self._texts.came(since_ms, until_ms)
            if self._may_be_reported(one) and not self._is_known(one, since_ms)
        ]

    def _may_be_reported(self, one: Seen) -> bool:
        return (
            one.is_quotable
            and sum(sign.isalpha() for sign in one.text) >= min(_LETTERS, 2 if not one.text.isascii() else _LETTERS)
            and not is_volatile(one.text)
            and not is_masked(one.text)
            and one.text not in self._typed
            and not self._is_concealed(one.text)
        )

    def _is_known(self, one: Seen, t_ms: int) -> bool:
        return self._texts.said_before(one.text, t_ms)


def _stands(one: Seen, until_ms: int) -> bool:
    return one.until_ms is None or one.until_ms >= min(until_ms, one.t_ms + _STANDS_MS)
