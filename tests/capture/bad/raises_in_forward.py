# error: invalid: {file}:8: RuntimeError while exporting forward: .*\[7\]
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x + torch.ones(7)


def get_inputs():
    return [torch.rand(3)]
