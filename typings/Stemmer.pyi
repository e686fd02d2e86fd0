# What is used of PyStemmer, a compiled module without types.
class Stemmer:
    def __init__(self, algorithm: str, maxCacheSize: int = ...) -> None: ...  # noqa: N803 - the library's name
    def stemWord(self, word: str) -> str: ...  # noqa: N802 - same
