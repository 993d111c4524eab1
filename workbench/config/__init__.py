"""Everything that a user can turn, as frozen and validated values, and its YAML."""
