"""Lab: real systems that are run and killed, and the protocols over sockets."""
