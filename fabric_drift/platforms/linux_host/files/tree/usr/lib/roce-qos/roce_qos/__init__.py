"""Keeps the RoCE settings of mlx5 NICs as /etc/roce-qos says. Python 3.8 or later, standard library only."""

VERSION = "1.0"
