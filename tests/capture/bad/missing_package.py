# error: missing: {file}:3: needs the Python package 'surely_not_installed', which is not installed here
import torch
import surely_not_installed.layers
