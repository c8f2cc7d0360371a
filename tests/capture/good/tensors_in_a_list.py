import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scales = [torch.full((features,), 0.5), torch.linspace(0, 1, features)]

    def forward(self, x):
        for scale in self.scales:
            x = torch.relu(x * scale)
        return x


def get_inputs():
    return [torch.randn(rows, features)]


def get_init_inputs():
    return [features]
