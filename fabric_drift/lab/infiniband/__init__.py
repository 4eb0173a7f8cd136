"""The InfiniBand lab: real OpenSMs on a simulated fabric (ibsim)."""
