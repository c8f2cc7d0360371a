# tensors: embed.weight parameter, head.weight parameter, tokens input, out output
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, vocabulary, width):
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.head.weight = self.embed.weight
        with torch.no_grad():
            self.embed.weight.data.mul_(0.02)

    def forward(self, tokens):
        return self.head(self.embed(tokens))


vocabulary = 1000
width = 128


def get_inputs():
    return [torch.randint(0, vocabulary, (16, 64))]


def get_init_inputs():
    return [vocabulary, width]
