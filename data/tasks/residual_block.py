# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """Two 3 by 3 convolutions with folded batch norms around a skip: the block of residual nets."""

    def __init__(self, channels):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels).eval()
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels).eval()
        for norm in (self.norm1, self.norm2):
            norm.running_mean.normal_(std=0.1)
            norm.running_var.uniform_(0.5, 1.5)
            nn.init.uniform_(norm.weight, 0.5, 1.5)
            nn.init.normal_(norm.bias, std=0.2)

    def forward(self, x):
        y = torch.relu(self.norm1(self.conv1(x)))
        return torch.relu(self.norm2(self.conv2(y)) + x)


batch_size = 16
channels = 64
height = 56
width = 50


def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]


def get_init_inputs():
    return [channels]
