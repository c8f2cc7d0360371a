# tensors: lifted_tensor_0 constant, x input, out output
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * torch.tensor([0.5, 1.5, 2.5])


def get_inputs():
    return [torch.randn(4096, 3)]


def get_init_inputs():
    return []
