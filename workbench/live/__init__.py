"""The session, the loop thread, background jobs, and the values that cross threads."""
