# tensors: mask buffer, scores input, out output
# symbols: masked_fill.value=-inf
import torch
import torch.nn as nn


class Model(nn.Module):
    """A tensor that is an attribute only, and a literal that JSON has no number for."""

    def __init__(self, length):
        super().__init__()
        self.mask = torch.triu(torch.ones(length, length), diagonal=1) > 0

    def forward(self, scores):
        return torch.softmax(scores.masked_fill(self.mask, float("-inf")), dim=-1)


length = 640


def get_inputs():
    return [torch.randn(8, length, length)]


def get_init_inputs():
    return [length]
