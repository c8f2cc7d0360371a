# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """Chooses the likeliest experts of every token and their shares: a mixture's router."""

    def __init__(self, k):
        super().__init__()
        self.k = k

    def forward(self, logits):
        shares, experts = torch.topk(torch.softmax(logits, dim=-1), self.k, dim=-1)
        return shares / shares.sum(dim=-1, keepdim=True), experts


batch_size = 16
tokens = 1024
experts = 160
k = 6


def get_inputs():
    return [torch.randn(batch_size, tokens, experts)]


def get_init_inputs():
    return [k]
