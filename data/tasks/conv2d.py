# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """A padded 3 by 3 convolution, a rectifier and a 2 by 2 max pooling."""

    def __init__(self, in_channels, out_channels, kernel_size, padding, pool_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size, padding=padding)
        self.pool = nn.MaxPool2d(pool_size)

    def forward(self, x):
        return self.pool(torch.relu(self.conv(x)))


batch_size = 32
in_channels = 48
out_channels = 96
height = 58
width = 74
kernel_size = 3
padding = 1
pool_size = 2


def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, padding, pool_size]
