# error: invalid: {file}:.* a constant of 300000 values was not made by torch calls
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x


def get_inputs():
    return [torch.tensor([float(i) for i in range(300000)])]
