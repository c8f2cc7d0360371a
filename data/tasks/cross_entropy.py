# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Mean cross entropy of integer labels with label smoothing: what a classifier trains on."""

    def __init__(self, smoothing):
        super().__init__()
        self.smoothing = smoothing

    def forward(self, logits, labels):
        return F.cross_entropy(logits, labels, label_smoothing=self.smoothing)


batch_size = 16384
classes = 1000


def get_inputs():
    return [torch.randn(batch_size, classes), torch.randint(0, classes, (batch_size,))]


def get_init_inputs():
    return [0.1]
