# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A depthwise convolution, batch norm with stored statistics, ReLU6: the core of small nets."""

    def __init__(self, channels, kernel_size, stride, padding):
        super().__init__()
        self.conv = nn.Conv2d(
            channels, channels, kernel_size, stride, padding, groups=channels, bias=False
        )
        self.norm = nn.BatchNorm2d(channels, eps=1e-3).eval()
        self.norm.running_mean.normal_(std=0.1)
        self.norm.running_var.uniform_(0.5, 1.5)
        nn.init.uniform_(self.norm.weight, 0.5, 1.5)
        nn.init.normal_(self.norm.bias)

    def forward(self, x):
        return F.relu6(self.norm(self.conv(x)))


batch_size = 32
channels = 144
height = 57
width = 75
kernel_size = 3
stride = 2
padding = 1


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels, kernel_size, stride, padding]
