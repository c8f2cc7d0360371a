# entry: Second
import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    pass


class Second(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.part = nn.Linear(features, 2 * features)

    def forward(self, x):
        return self.part(x).chunk(2, dim=1)


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
