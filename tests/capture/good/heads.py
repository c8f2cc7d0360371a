# tensors: qkv.weight parameter, qkv.bias parameter, x input, out output
# symbols: heads=8
import math

import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.heads = heads

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).split(width, dim=2)
        q, k, v = (
            t.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
            for t in (q, k, v)
        )
        scores = q @ k.transpose(-2, -1) * (1.0 / math.sqrt(k.size(-1)))
        mixed = torch.softmax(scores, dim=-1) @ v
        return mixed.transpose(1, 2).contiguous().view(batch, length, width)


batch_size = 16
length = 256
width = 384
heads = 8


def get_inputs():
    return [torch.randn(batch_size, length, width)]


def get_init_inputs():
    return {"width": width, "heads": heads}
