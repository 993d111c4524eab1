"""The task stack, one tick and its result; the only room that imports Pink."""
