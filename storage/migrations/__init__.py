"""How a database of any earlier Vaider becomes one of today's."""
