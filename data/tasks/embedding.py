# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn


class Model(nn.Module):
    """Looks up token vectors, scales them and adds learnt positions: where a transformer begins."""

    def __init__(self, vocabulary, tokens, width):
        super().__init__()
        self.words = nn.Embedding(vocabulary, width)
        self.positions = nn.Parameter(torch.randn(tokens, width))
        self.scale = width**0.5

    def forward(self, ids):
        return self.words(ids) * self.scale + self.positions


batch_size = 32
tokens = 512
vocabulary = 32000
width = 768


def get_inputs():
    return [torch.randint(0, vocabulary, (batch_size, tokens))]


def get_init_inputs():
    return [vocabulary, tokens, width]
