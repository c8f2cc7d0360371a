#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kvgen::tools {

struct MachineOptions {
  std::string device = "cpu";
  std::vector<std::string> archs = {"gfx942", "gfx90a"};
  int jobs = 0;              // 0: as many as cores, at most 4
  int cores = 0;             // 0: all
  std::string torch_python;  // "": the one kvgen was built with
};

struct IngestOptions {
  std::vector<std::string> sources;
  std::string out;
  bool json = false;
  MachineOptions machine;
};

struct RunCommandOptions {
  std::vector<std::string> tasks;
  std::string generator;
  int attempts = 1;
  std::string out;
  std::optional<std::uint64_t> seed;
  bool profile = true;
  bool degenerate = false;  // admit tasks that a cheap answer would pass
  bool json = false;
  MachineOptions machine;
};

struct VerifyCommandOptions {
  std::string task;
  std::string candidate;
  std::optional<std::uint64_t> seed;
  bool profile = true;
  bool json = false;
  MachineOptions machine;
};

struct DoctorOptions {
  bool json = false;
  MachineOptions machine;
};

}  // namespace kvgen::tools
