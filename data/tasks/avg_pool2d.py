# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """Overlapping averages, where a window at the border divides by the pixels that it holds."""

    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.pool = nn.AvgPool2d(kernel_size, stride, padding, count_include_pad=False)

    def forward(self, x):
        return self.pool(x)


batch_size = 32
channels = 96
height = 113
width = 150
kernel_size = 3
stride = 2
padding = 1


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [kernel_size, stride, padding]
