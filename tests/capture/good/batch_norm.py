# tensors: norm.weight parameter, norm.bias parameter, norm.running_mean buffer, norm.running_var buffer, norm.num_batches_tracked buffer, x input, out output, norm.running_mean.out in_place, norm.running_var.out in_place, norm.num_batches_tracked.out in_place
# symbols: momentum=0.2
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, features, momentum):
        super().__init__()
        self.norm = nn.BatchNorm2d(features, momentum=momentum)

    def forward(self, x):
        return self.norm(x)


batch_size, features = 32, 24


def get_inputs():
    return [torch.rand(batch_size, features, 40, 36)]


def get_init_inputs():
    return [features, 0.2]
