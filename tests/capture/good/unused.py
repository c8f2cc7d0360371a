# tensors: second.weight parameter, second.bias parameter, x input, y input, out output
# marks: ignores: second.weight, ignores: second.bias, ignores: y
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.second = nn.Linear(width, width)

    def forward(self, x, y):
        return x.abs()


width = 300


def get_inputs():
    return [torch.randn(512, width), torch.randn(512, width)]


def get_init_inputs():
    return [width]
