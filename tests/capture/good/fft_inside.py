import torch
import torch.nn as nn

rows = 16
features = 96


class Model(nn.Module):
    def forward(self, x):
        return torch.fft.irfft(torch.fft.rfft(x) * 0.5, n=x.shape[-1])


def get_inputs():
    return [torch.randn(rows, features)]
