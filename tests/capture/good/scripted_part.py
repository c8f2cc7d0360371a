import torch
import torch.nn as nn

rows = 16
features = 96


@torch.jit.script
def soft_step(x: torch.Tensor, slope: float) -> torch.Tensor:
    return torch.where(x > 0, x, x * slope)


class Model(nn.Module):
    def forward(self, x):
        return soft_step(x, 0.1)


def get_inputs():
    return [torch.randn(rows, features)]
