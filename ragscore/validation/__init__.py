"""What is wrong with values, in plain words: of a YAML file and of a call in Python alike."""
