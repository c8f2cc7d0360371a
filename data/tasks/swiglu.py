# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Half of the features gates the other half through a swish, in bfloat16 as it is served."""

    def forward(self, x):
        gate, up = x.chunk(2, dim=-1)
        return F.silu(gate) * up


batch_size = 2
tokens = 1024
hidden = 5504


def get_inputs():
    return [torch.randn(batch_size, tokens, 2 * hidden).to(torch.bfloat16)]


def get_init_inputs():
    return []
