"""What the numbers of X key symbols stand for; source: X.Org's ``keysymdef.h``."""

from typing import Final

from xcffib import keysymdef, xf86keysym

from core.key_names import spell

_UNICODE: Final = 0x0100_0000
_LAST_CODE_POINT: Final = 0x10FFFF
_FIRST_NATIONAL: Final = 0xA0

# The symbols of a national alphabet are numbered page * 256 + their byte in an older character set.
_PAGES: Final = {
    0x1: "iso8859-2", 0x2: "iso8859-3", 0x3: "iso8859-4", 0x5: "iso8859-6", 0x6: "koi8-u", 0x7: "iso8859-7",
    0xC: "iso8859-8", 0xD: "iso8859-11", 0x13: "iso8859-15",
}  # fmt: skip
_CYRILLIC: Final = "ђѓёєѕіїјљњћќґўџ№ЂЃЁЄЅІЇЈЉЊЋЌҐЎЏ"  # 0x6a1..0x6bf
_GREEK: Final = {
    0x7A1: "Ά", 0x7A2: "Έ", 0x7A3: "Ή", 0x7A4: "Ί", 0x7A5: "Ϊ", 0x7A7: "Ό", 0x7A8: "Ύ", 0x7A9: "Ϋ", 0x7AB: "Ώ",
    0x7AE: "΅", 0x7AF: "―", 0x7B1: "ά", 0x7B2: "έ", 0x7B3: "ή", 0x7B4: "ί", 0x7B5: "ϊ", 0x7B6: "ΐ", 0x7B7: "ό",
    0x7B8: "ύ", 0x7B9: "ϋ", 0x7BA: "ΰ", 0x7BB: "ώ", 0x7D2: "Σ", 0x7F2: "\u03c3", 0x7F3: "ς",
}  # fmt: skip
_SIGNS: Final = {
    0x20AC: "€", 0xAA9: "—", 0xAAA: "\u2013", 0xAAE: "…", 0xAC9: "™",
    0xAD0: "\u2018", 0xAD1: "\u2019", 0xAD2: "“", 0xAD3: "”",
    0xAD5: "‰", 0xAE6: "•", 0xAFD: "\u201a", 0xAFE: "„", 0xAF1: "†", 0xAF2: "‡", 0x8FB: "←", 0x8FC: "↑", 0x8FD: "→",
    0x8FE: "↓", 0x8BC: "≤", 0x8BD: "≠", 0x8BE: "≥", 0x8C2: "∞",
}  # fmt: skip


def _legacy() -> dict[int, str]:
    table: dict[int, str] = {}
    for page, codec in _PAGES.items():
        for byte in range(_FIRST_NATIONAL, 0x100):
            character = bytes([byte]).decode(codec, "ignore")
            if character:
                table[page << 8 | byte] = character
    table |= {0x6A1 + offset: character for offset, character in enumerate(_CYRILLIC)}
    for keysym in range(0x7A0, 0x7C1):
        table.pop(keysym, None)
    return table | _GREEK | _SIGNS


_LEGACY: Final = _legacy()


def character_of(keysym: int) -> str | None:
    """The character that a key with this symbol types, or ``None``: dead keys and named keys type none."""
    if 0x20 <= keysym <= 0x7E or 0xA0 <= keysym <= 0xFF:  # noqa: PLR2004 - Latin 1 is numbered as in Unicode
        return chr(keysym)
    if _UNICODE < keysym <= _UNICODE + _LAST_CODE_POINT:
        return chr(keysym - _UNICODE)
    return _LEGACY.get(keysym)


def keysym_of(key: str) -> int:
    """The symbol of a key by its canonical name, or of one character."""
    if len(key) == 1:
        code = ord(key)
        return code if code <= 0xFF else _UNICODE + code  # noqa: PLR2004 - same
    name = spell(key, "x11")
    if name.startswith("XF86"):
        return int(getattr(xf86keysym, f"XF86XK_{name.removeprefix('XF86')}"))
    return int(getattr(keysymdef, f"XK_{name}"))
