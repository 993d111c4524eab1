"""Where Isaac Sim's extension keeps its utilities; code that imports them from there runs here."""
