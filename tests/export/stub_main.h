#pragma once

// Compares the launches that an exported launcher makes, and what its fills and copies
// leave, with the plan as resolved for the same shapes.

#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace check {

struct Place {
  char space;  // 'i' input, 'o' output, 'b' buffer, 's' scalar
  int index;
  std::int64_t offset;  // in bytes
  std::uint64_t bits;   // of a scalar
};

struct Step {
  char what;   // 'l' launch, 'f' fill, 'c' copy
  int kernel;  // of a launch
  std::int64_t grid[3];
  std::int64_t block[3];
  std::int64_t shared;
  std::vector<Place> places;  // arguments; where a fill goes; a copy's from and to
  std::int64_t bytes;         // of a fill or copy
  int element_bytes;
  std::uint64_t bits;
};

struct Case {
  std::string name;
  std::vector<Step> steps;
  std::vector<std::int64_t> buffer_bytes;
};

// A type by its name in torch.
inline at::ScalarType type_of(const std::string& name) {
  static const std::map<std::string, at::ScalarType> kTypes = {
      {"bool", at::kBool},      {"int8", at::kChar},         {"uint8", at::kByte},
      {"int16", at::kShort},    {"uint16", at::kUInt16},     {"int32", at::kInt},
      {"uint32", at::kUInt32},  {"int64", at::kLong},        {"uint64", at::kUInt64},
      {"float16", at::kHalf},   {"bfloat16", at::kBFloat16}, {"float32", at::kFloat},
      {"float64", at::kDouble},
  };
  return kTypes.at(name);
}

inline int faults = 0;
inline int compared = 0;

inline void fault(const Case& one, const std::string& what) {
  ++faults;
  if (faults <= 40) std::printf("%s: %s\n", one.name.c_str(), what.c_str());
}

inline std::vector<at::Tensor> outputs_of(const at::Tensor& one) { return {one}; }
template <class... T>
std::vector<at::Tensor> outputs_of(const std::tuple<T...>& all) {
  return std::apply([](const auto&... one) { return std::vector<at::Tensor>{one...}; }, all);
}

// Bytes that only fills and copies write: stub kernels write nothing.
using Bytes = std::vector<std::optional<unsigned char>>;

inline void expect_contents(const Case& one, const std::vector<at::Tensor>& inputs,
                            const std::vector<at::Tensor>& outputs) {
  std::map<std::pair<char, int>, Bytes> memory;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    memory[{'i', static_cast<int>(i)}].assign(inputs[i].nbytes(), static_cast<unsigned char>(0));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    memory[{'o', static_cast<int>(i)}].resize(outputs[i].nbytes());
  }
  for (std::size_t i = 0; i < one.buffer_bytes.size(); ++i) {
    memory[{'b', static_cast<int>(i)}].resize(static_cast<std::size_t>(one.buffer_bytes[i]));
  }
  for (const Step& step : one.steps) {
    if (step.what == 'l') continue;
    const auto bytes_at = [&](const Place& place) {
      return memory[{place.space, place.index}].begin() + place.offset;
    };
    for (std::int64_t k = 0; k < step.bytes; ++k) {
      if (step.what == 'f') {
        const int shift = static_cast<int>(8 * (k % step.element_bytes));
        bytes_at(step.places[0])[k] = static_cast<unsigned char>(step.bits >> shift);
      } else {
        bytes_at(step.places[1])[k] = bytes_at(step.places[0])[k];
      }
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Bytes& wanted = memory[{'o', static_cast<int>(i)}];
    const auto* seen = static_cast<const unsigned char*>(outputs[i].data_ptr());
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (!wanted[k] || *wanted[k] == seen[k]) continue;
      return fault(one, "output " + std::to_string(i) + " differs at byte " + std::to_string(k));
    }
  }
}

inline void expect_launches(const Case& one, const StubKernel* kernels,
                            const std::vector<at::Tensor>& inputs,
                            const std::vector<at::Tensor>& outputs) {
  std::vector<const Step*> wanted;
  for (const Step& step : one.steps) {
    if (step.what == 'l') wanted.push_back(&step);
  }
  if (stub_launches.size() != wanted.size()) {
    return fault(one, std::to_string(stub_launches.size()) + " launches, expected " +
                          std::to_string(wanted.size()));
  }
  std::map<int, std::uint64_t> buffers;  // their bases, as the first use tells
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const StubLaunch& seen = stub_launches[i];
    const Step& step = *wanted[i];
    const std::string where = "launch " + std::to_string(i) + ": ";
    ++compared;
    if (seen.kernel != kernels + step.kernel) return fault(one, where + "another kernel");
    const std::int64_t grid[3] = {seen.grid.x, seen.grid.y, seen.grid.z};
    const std::int64_t block[3] = {seen.block.x, seen.block.y, seen.block.z};
    if (std::memcmp(grid, step.grid, sizeof grid) != 0) return fault(one, where + "another grid");
    if (std::memcmp(block, step.block, sizeof block) != 0) {
      return fault(one, where + "another block");
    }
    if (seen.shared != step.shared) return fault(one, where + "other shared memory");
    if (seen.arguments.size() != step.places.size()) {
      return fault(one, where + "another number of arguments");
    }
    for (std::size_t k = 0; k < step.places.size(); ++k) {
      const Place& place = step.places[k];
      std::uint64_t expected = place.bits;
      if (place.space != 's') {
        const auto address = [](const at::Tensor& tensor) {
          return reinterpret_cast<std::uint64_t>(tensor.data_ptr());
        };
        const auto offset = static_cast<std::uint64_t>(place.offset);
        const auto index = static_cast<std::size_t>(place.index);
        std::uint64_t base = 0;
        if (place.space == 'i') base = address(inputs[index]);
        if (place.space == 'o') base = address(outputs[index]);
        if (place.space == 'b') {
          base = buffers.try_emplace(place.index, seen.arguments[k] - offset).first->second;
        }
        expected = base + offset;
      }
      if (seen.arguments[k] != expected) {
        char text[80];
        std::snprintf(text, sizeof text, "argument %zu is 0x%llx, expected 0x%llx", k,
                      static_cast<unsigned long long>(seen.arguments[k]),
                      static_cast<unsigned long long>(expected));
        return fault(one, where + text);
      }
    }
  }
}

template <class Forward>
void run(const Case& one, const StubKernel* kernels, const std::vector<at::Tensor>& inputs,
         Forward forward) {
  stub_launches.clear();
  try {
    const std::vector<at::Tensor> outputs = outputs_of(forward());
    expect_launches(one, kernels, inputs, outputs);
    expect_contents(one, inputs, outputs);
  } catch (const std::exception& failed) {
    fault(one, std::string(failed.what()).substr(0, 300));
  }
}

inline int finish() {
  std::printf("%d launches compared, %d faults\n", compared, faults);
  return faults == 0 && compared > 0 ? 0 : 1;
}

}  // namespace check
