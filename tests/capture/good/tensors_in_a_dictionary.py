# notes: forward asks for values; with four seeds it took the course that is captured
import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scales = {"low": torch.full((features,), 0.5), "high": torch.ones(features)}

    def forward(self, x):
        return torch.maximum(x * self.scales["low"], x * self.scales["high"])


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
