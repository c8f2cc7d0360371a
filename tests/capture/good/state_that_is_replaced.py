import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("mean", torch.zeros(features))

    def forward(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x.mean(dim=0)
        return x - self.mean


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
