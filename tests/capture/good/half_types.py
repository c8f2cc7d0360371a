# tensors: x input, y input, out output
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return (x @ y).float()


def get_inputs():
    x = torch.randn(600, 400, dtype=torch.bfloat16)
    return [x, torch.rand(400, 320).to(torch.bfloat16)]


def get_init_inputs():
    return []
