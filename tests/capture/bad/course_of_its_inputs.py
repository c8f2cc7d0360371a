# error: invalid: {file}: what forward computes depends on values: seeds 7 and (8|9|10) take different courses
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        for _ in range(int(1000 * x.mean()) % 7):
            x = torch.sin(x)
        return x


def get_inputs():
    return [torch.rand(64, 32)]


def get_init_inputs():
    return []
