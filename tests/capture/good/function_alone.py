# tensors: x input, weight input, bias input, out output
import torch
import torch.nn as nn

rows = 16
features = 96


def module_fn(x, weight, bias):
    return torch.relu(nn.functional.linear(x, weight, bias))


def get_inputs():
    return [torch.randn(rows, features), torch.randn(features, features), torch.randn(features)]
