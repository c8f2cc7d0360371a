# error: invalid: {file}:8: ValueError while making the model: width must be even
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        raise ValueError("width must be\neven")


def get_inputs():
    return []


def get_init_inputs():
    return [3]
