# dtype: bfloat16
import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.part = nn.Linear(features, features)
        self.register_buffer("order", torch.arange(features))

    def forward(self, x, index):
        return self.part(x)[:, self.order][index]


def get_inputs():
    return [torch.randn(rows, features), torch.randint(0, rows, (rows,))]


def get_init_inputs():
    return [features]
