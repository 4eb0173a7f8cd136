"""Linux hosts with RoCE NICs (mlx5)."""
