# tensors: _0.weight parameter, _0.bias parameter, _2.weight parameter, _2.bias parameter, input input, out output
# notes: the parameter 0.weight is called _0.weight; the parameter 0.bias is called _0.bias; the parameter 2.weight is called _2.weight; the parameter 2.bias is called _2.bias
import torch
import torch.nn as nn


class Model(nn.Sequential):
    def __init__(self, width):
        super().__init__(nn.Linear(width, 2 * width), nn.Sigmoid(), nn.Linear(2 * width, width))


width = 512


def get_inputs():
    return [torch.randn(128, width)]


def get_init_inputs():
    return [width]
