# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Mean smooth L1 distance, the loss of box regression: square near zero, straight beyond."""

    def __init__(self, beta):
        super().__init__()
        self.beta = beta

    def forward(self, predicted, target):
        return F.smooth_l1_loss(predicted, target, beta=self.beta)


batch_size = 4096
features = 3000


def get_inputs():
    return [torch.randn(batch_size, features), torch.randn(batch_size, features)]


def get_init_inputs():
    return [0.5]
