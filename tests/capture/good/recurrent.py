# tensors: cell.weight_ih_l0 parameter, cell.weight_hh_l0 parameter, cell.bias_ih_l0 parameter, cell.bias_hh_l0 parameter, x input, h input, out0 output, out1 output
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.cell = nn.GRU(width, hidden, batch_first=True)

    def forward(self, x, h):
        return self.cell(x, h)


batch_size = 10
length = 64
width = 128
hidden = 256


def get_inputs():
    return [torch.rand(batch_size, length, width), torch.rand(1, batch_size, hidden)]


def get_init_inputs():
    return [width, hidden]
