# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """Attention over another sequence, whose padding is masked out: a decoder reads an encoder."""

    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, query, key, value, present):
        scores = torch.matmul(query, key.transpose(-2, -1)) * self.scale
        scores = scores.masked_fill(~present[:, None, None, :], float("-inf"))
        return torch.matmul(torch.softmax(scores, dim=-1), value)


batch_size = 8
heads = 12
queries = 416
keys = 600
width = 64


def get_inputs():
    lengths = torch.randint(1, keys + 1, (batch_size, 1))
    return [
        torch.randn(batch_size, heads, queries, width),
        torch.randn(batch_size, heads, keys, width),
        torch.randn(batch_size, heads, keys, width),
        torch.arange(keys) < lengths,
    ]


def get_init_inputs():
    return [0.125]
