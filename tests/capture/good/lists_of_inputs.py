# tensors: parts.0 input, parts.1 input, others0 input, others1 input, out output
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, parts, *others):
        return torch.cat(parts, dim=1) + others[0] * others[1]


half = 200


def get_inputs():
    left, right = torch.randn(512, half), torch.randn(512, half)
    return [[left, right], torch.randn(512, 2 * half), torch.randn(512, 2 * half)]


def get_init_inputs():
    return []
