# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Group norm and swish, which stand before every convolution of a diffusion model."""

    def __init__(self, groups, channels, eps):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, eps=eps)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias)

    def forward(self, x):
        return F.silu(self.norm(x))


batch_size = 16
groups = 8
channels = 192
height = 64
width = 60


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [groups, channels, 1e-4]
