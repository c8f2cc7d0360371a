# tensors: part.weight parameter, part.bias parameter, x input, out output
import torch
import torch.nn as nn

rows = 128
features = 96


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.part = nn.Linear(features, features)

    def forward(self, x):
        with torch.no_grad():
            y = self.part(x)
        with torch.autocast("cuda", dtype=torch.float16):
            y = torch.relu(y @ y.t())
        with torch.autocast("cpu", enabled=False):
            left, right = y.chunk(2, dim=1)
            return left.sum(1) - right.sum(1)


def get_inputs():
    return [torch.rand(rows, features)]


def get_init_inputs():
    return [features]
