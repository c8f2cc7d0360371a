"""Captures PyTorch reference modules as ATen graphs, without running them at full size."""

VERSION = "1"
