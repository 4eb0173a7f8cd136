"""A UFM that isn't one: the documented resources of its REST API over HTTPS on loopback, with their traps."""
