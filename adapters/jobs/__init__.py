"""The job engine: DBOS makes jobs survive a crash, the rest makes them wait their turn and tell how far they are."""
