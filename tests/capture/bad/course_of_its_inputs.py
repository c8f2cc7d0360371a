# error: invalid: {file}: what forward computes depends on values: seeds 7 and 8 take different courses
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x / x.max().item()


def get_inputs():
    return [torch.rand(64, 32)]


def get_init_inputs():
    return []
