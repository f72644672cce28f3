# What a small shop needs, in shell.
