# error: invalid: {file}:5: syntax error: expected ':'
import torch


class Model
    pass
