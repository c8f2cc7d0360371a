# tensors: linear.weight parameter, x input, out output
import torch
import torch.nn as nn

device = torch.device("cuda:0")


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width, bias=False, device="cuda").to(device)
        self.cuda()

    def forward(self, x):
        return self.linear(x) + torch.ones(x.shape[1], device="cuda").to("cuda", torch.float32)


width = 700


def get_inputs():
    return [torch.randn(128, width, device=device).cuda()]


def get_init_inputs():
    return [width]
