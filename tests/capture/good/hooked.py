import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.part = nn.Linear(features, features)
        self.part.register_forward_hook(lambda module, given, made: made * 2)

    def forward(self, x):
        return self.part(x)


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
