"""The ways out: the tuned settings as files and programs for the systems that will run them."""
