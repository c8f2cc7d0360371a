# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """Rotates the halves of queries and keys by their positions' angles (rotary embedding)."""

    def __init__(self, tokens, width, base):
        super().__init__()
        rates = base ** (-torch.arange(0, width, 2).float() / width)
        angles = torch.outer(torch.arange(tokens).float(), rates)
        self.register_buffer("cos", torch.cos(angles))
        self.register_buffer("sin", torch.sin(angles))

    def rotated(self, x):
        left, right = x.chunk(2, dim=-1)
        return torch.cat(
            [left * self.cos - right * self.sin, right * self.cos + left * self.sin], dim=-1
        )

    def forward(self, query, key):
        return self.rotated(query), self.rotated(key)


batch_size = 4
query_heads = 24
key_heads = 6
tokens = 1024
width = 80


def get_inputs():
    return [
        torch.randn(batch_size, query_heads, tokens, width),
        torch.randn(batch_size, key_heads, tokens, width),
    ]


def get_init_inputs():
    return [tokens, width, 10000.0]
