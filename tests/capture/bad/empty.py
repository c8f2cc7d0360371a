# error: invalid: {file}: has no class Model$
