#include <algorithm>
#include <ostream>

#include "commands.h"

namespace kvgen::tools {
namespace {

struct NewTaskOptions {
  std::string name;
  std::string out = ".";
};

// A row-wise scale and shift: small, but with everything that a module may have.
constexpr const char* kTemplate = R"py(# SPDX-License-Identifier: MIT
"""NAME: say here what it computes, and who needs it."""

import torch
import torch.nn as nn


class Model(nn.Module):
    """The reference. Whatever forward() computes is what a kernel has to compute."""

    def __init__(self, features, eps):
        super().__init__()
        # Parameters become arguments of the kernel's launch plan, by these names.
        self.weight = nn.Parameter(torch.rand(features))
        # Python numbers become symbols of the plan ("eps"), so a kernel need not hard-code them.
        self.eps = eps

    def forward(self, x):
        # Plain PyTorch, without data-dependent control flow: it is captured as a graph once.
        scale = torch.rsqrt(x.pow(2).mean(dim=-1, keepdim=True) + self.eps)
        return x * scale * self.weight


# The sizes people care about. kvgen also tries smaller and odd ones: it finds the integers
# that stand here and changes them, so give every size a name and use it wherever it occurs.
batch_size = 512
features = 4096
eps = 1e-5


def get_inputs():
    """What forward() is called with. Seeded by kvgen; no files, no randomness but torch's."""
    return [torch.randn(batch_size, features)]


def get_init_inputs():
    """What Model() is called with."""
    return [features, eps]
)py";

Result<int> new_task(const NewTaskOptions& options, const World& world) {
  const bool letters = std::all_of(options.name.begin(), options.name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_';
  });
  if (!letters || options.name.empty() || options.name.size() > 100 ||
      std::isalpha(static_cast<unsigned char>(options.name.front())) == 0) {
    return Error(Code::kUsage, "\"" + options.name +
                                   "\" is not a name for a module: letters, digits and '_', a "
                                   "letter first");
  }
  const fs::path path = fs::path(options.out) / (options.name + ".py");
  if (world.files->exists(path)) {
    return Error(Code::kConflict, path.string() + " exists; choose another name");
  }
  std::string text = kTemplate;
  text.replace(text.find("NAME"), 4, options.name);
  TRY_VOID(world.files->make_folder(options.out));
  TRY_VOID(world.files->write_atomically(path, text));
  *world.out << path.string() << "\n";
  *world.err << "now write the module, then: kvgen show " << path.string() << "\n";
  return 0;
}

}  // namespace

void add_new_task(CLI::App& app, Action& chosen) {
  auto [command, options] = declare<NewTaskOptions>(
      app, chosen, "new-task",
      "Begin a module file that kvgen can ingest, with comments on what it needs.\n\n"
      "Example:\n"
      "  kvgen new-task my_norm --out my_modules",
      new_task);
  command->add_option("NAME", options.name, "Of the task and of its file NAME.py")->required();
  command->add_option("--out", options.out, "Folder for it")->capture_default_str();
}

}  // namespace kvgen::tools
