# tensors: weight parameter, x input, out output
import torch
import torch.nn as nn


class Model(nn.Module):
    """Reads a value while it is made, which fake tensors do not have."""

    def __init__(self, features):
        super().__init__()
        rates = [rate.item() for rate in torch.linspace(0, 1, 4)]
        self.weight = nn.Parameter(torch.full((features,), rates[2]))

    def forward(self, x):
        return x * self.weight


features = 500


def get_inputs():
    return [torch.randn(700, features).t().contiguous().t()]


def get_init_inputs():
    return [features]
