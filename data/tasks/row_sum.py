# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """The sum of every row, kept as a column."""

    def forward(self, x):
        return torch.sum(x, dim=1, keepdim=True)


batch_size = 2048
columns = 10000


def get_inputs():
    return [torch.randn(batch_size, columns)]


def get_init_inputs():
    return []
