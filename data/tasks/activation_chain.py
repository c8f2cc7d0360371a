# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Swish, a leaky rectifier, a scaled tanh and a clamp, one after another."""

    def __init__(self, negative_slope, scale, bound):
        super().__init__()
        self.negative_slope = negative_slope
        self.scale = scale
        self.bound = bound

    def forward(self, x):
        y = x * torch.sigmoid(x)
        y = F.leaky_relu(y - 0.25, self.negative_slope)
        y = torch.tanh(y * self.scale) + 0.5 * x
        return torch.clamp(y, -self.bound, self.bound)


batch_size = 1024
features = 6000


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return [0.15, 1.7, 1.25]
