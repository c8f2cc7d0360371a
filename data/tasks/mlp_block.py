# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Up, GELU by tanh, down, and the input added: the feed-forward half of a transformer layer."""

    def __init__(self, features, hidden):
        super().__init__()
        self.up = nn.Linear(features, hidden)
        self.down = nn.Linear(hidden, features)

    def forward(self, x):
        return x + self.down(F.gelu(self.up(x), approximate="tanh"))


batch_size = 4
tokens = 256
features = 768
hidden = 2048


def get_inputs():
    return [torch.randn(batch_size, tokens, features)]


def get_init_inputs():
    return [features, hidden]
