# error: invalid: {file}: forward has a part that torch.export keeps as a graph of its own
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return x @ x


def get_inputs():
    return [torch.rand(32, 32)]
