# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false
"""The same in Qt, for the system's Python with PyQt5: ``order_qt.py STATE SIZE THEME FAULT LABEL…``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from PyQt5.QtWidgets import QApplication, QFormLayout, QLineEdit, QPushButton, QWidget


def main() -> None:
    """Show it until its window is closed."""
    state, size, theme, _, *labels = sys.argv[1:]
    application = QApplication(sys.argv[:1])
    application.setStyle("fusion")
    colours = "background:#1f2126;color:#eee" if theme == "dark" else ""
    application.setStyleSheet(f"* {{font-size:{size}pt}} QWidget {{{colours}}}")
    window = QWidget()
    window.setWindowTitle("New order")
    form = QFormLayout(window)
    fields = [QLineEdit() for _ in labels]
    for label, field in zip(labels, fields, strict=True):
        field.setMinimumWidth(360)
        form.addRow(label, field)

    def save() -> None:
        with Path(state).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps([field.text() for field in fields])}\n")

    button = QPushButton("Save order")
    button.clicked.connect(save)
    form.addRow(button)
    window.show()
    sys.exit(application.exec_())


main()
