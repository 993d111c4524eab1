"""Commands of the command line, one module each, with what they read and print."""
