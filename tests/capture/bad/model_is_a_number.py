# error: invalid: {file}: Model is neither a torch.nn.Module class nor a function
Model = 3



def get_inputs():
    return []
