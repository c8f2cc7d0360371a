# tensors: x input, mask input, out output
# scalars: slope=0.25
import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def forward(self, x, mask=None, slope=1.0):
        return torch.where(mask, x, x * slope)


def get_inputs():
    return [[torch.randn(rows, features)], {"slope": 0.25, "mask": torch.rand(rows, features) > 0.5}]
