# tensors: x input, out output
# scalars: scale=2.5, power=3, flag=True, nothing=None
# symbols: scale=2.5, power=3
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, scale, power, flag, nothing=None):
        y = x * scale
        if flag and nothing is None:
            y = y**power
        return y


def get_inputs():
    return [torch.randn(3000, 512), 2.5, 3, True, None]


def get_init_inputs():
    return []
