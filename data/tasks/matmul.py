# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """The product of two matrices whose sizes are no powers of two."""

    def forward(self, a, b):
        return torch.matmul(a, b)


rows = 1536
inner = 4000
columns = 2304


def get_inputs():
    return [torch.randn(rows, inner), torch.randn(inner, columns)]


def get_init_inputs():
    return []
