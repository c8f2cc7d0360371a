import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def forward(self, x, y):
        return x + y.flip(0)


def get_inputs():
    return [torch.randn(features, rows).t(), torch.randn(rows, 2 * features)[:, ::2]]
