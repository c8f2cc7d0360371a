# tensors: scale.weight parameter, scale.bias parameter, steps buffer, x input, out output, steps.out in_place
# notes: forward asks for values; with four seeds it took the course that is captured
import torch
import torch.nn as nn

rows = 128
features = 96


class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.scale = nn.LayerNorm(features)
        self.register_buffer("steps", torch.zeros(1))

    def forward(self, x):
        y = self.scale(x)
        self.steps += 1
        if x.sum() > 0:
            y = torch.relu(y)
        for _ in range(int(x.max().ceil().item())):
            y = y * 0.5
        return y


def get_inputs():
    return [torch.rand(rows, features)]


def get_init_inputs():
    return [features]
