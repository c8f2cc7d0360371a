# SPDX-License-Identifier: MIT
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A strided, dilated convolution over frames and a GELU: the stem of a speech encoder."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation):
        super().__init__()
        self.conv = nn.Conv1d(in_channels, out_channels, kernel_size, stride, padding, dilation)

    def forward(self, x):
        return F.gelu(self.conv(x))


batch_size = 16
in_channels = 80
out_channels = 384
frames = 3000
kernel_size = 5
stride = 2
padding = 4
dilation = 2


def get_inputs():
    return [torch.randn(batch_size, in_channels, frames)]


def get_init_inputs():
    return [in_channels, out_channels, kernel_size, stride, padding, dilation]
