import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.part = nn.utils.parametrizations.weight_norm(nn.Linear(features, features))

    def forward(self, x):
        return self.part(x)


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
