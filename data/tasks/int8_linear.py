# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A linear layer whose int8 weights are scaled back on the way: weight-only quantisation."""

    def __init__(self, in_features, out_features):
        super().__init__()
        weight = torch.randint(-127, 128, (out_features, in_features), dtype=torch.int8)
        self.register_buffer("weight", weight)
        self.register_buffer("scale", torch.rand(out_features, 1) / 127.0)

    def forward(self, x):
        return F.linear(x, self.weight.to(x.dtype) * self.scale)


batch_size = 256
in_features = 3072
out_features = 2048


def get_inputs():
    return [torch.randn(batch_size, in_features)]


def get_init_inputs():
    return [in_features, out_features]
