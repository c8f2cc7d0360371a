# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Attention in which a token sees itself and those before it: decoding's most costly step."""

    def forward(self, query, key, value):
        return F.scaled_dot_product_attention(query, key, value, is_causal=True)


batch_size = 8
heads = 12
tokens = 1000
width = 64


def get_inputs():
    return [torch.randn(batch_size, heads, tokens, width) for _ in range(3)]


def get_init_inputs():
    return []
