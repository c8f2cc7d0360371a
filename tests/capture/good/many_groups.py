# tensors: norm.weight parameter, norm.bias parameter, x input, out output
# symbols: groups=256
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, groups):
        super().__init__()
        self.norm = nn.GroupNorm(groups, features)

    def forward(self, x):
        return self.norm(x)


batch_size = 512
features = 8192
groups = 256


def get_inputs():
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    return [features, groups]
