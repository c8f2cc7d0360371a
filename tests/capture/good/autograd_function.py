import torch
import torch.nn as nn

rows = 16
features = 96


class Step(torch.autograd.Function):
    @staticmethod
    def forward(context, x, slope):
        context.save_for_backward(x)
        return torch.where(x > 0, x, x * slope)

    @staticmethod
    def backward(context, gradient):
        return gradient, None


class Model(nn.Module):
    def forward(self, x):
        return Step.apply(x, 0.1)


def get_inputs():
    return [torch.randn(rows, features)]
