#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/device/service.h"
#include "kvgen/worker/arena.h"
#include "kvgen/worker/protocol.h"

namespace kvgen::test {

// A candidate as tests write it (cases.json): tensors, a plan whose arguments
// are names and scalars, an object of tests/cpu/kernels.
class Candidate {
 public:
  // {"object": "good", "inputs": {"x": [4, 8]}, "outputs": {"out": [4]}, "buffers": {...},
  //  "run": [steps], "prepare": [steps], "dtype": {"x": "float16"}, "schedule": ...}
  explicit Candidate(const Json& json);
  // The same with an object of its own, and the symbols of its kernels by name.
  Candidate(const Json& json, SharedFd object, const std::map<std::string, std::string>& symbols);

  // The body of "run" or "time_open".
  [[nodiscard]] Message call() const;
  Candidate& set(const std::string& field, const Json& value);  // of the RunCall

  template <class T>
  [[nodiscard]] std::span<T> input(const std::string& name) const {
    return typed<T>(inputs_, name);
  }
  template <class T>
  [[nodiscard]] std::span<T> output(const std::string& name) const {
    return typed<T>(outputs_, name);
  }
  void poison_outputs(unsigned char byte) const;

 private:
  template <class T>
  static std::span<T> typed(const std::vector<Arena>& arena, const std::string& name) {
    for (const ArenaTensor& tensor : arena.front().layout().tensors) {
      if (tensor.spec.name != name) continue;
      const auto bytes = arena.front().data(tensor);
      return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
    }
    throw std::out_of_range(name);
  }

  std::vector<Arena> inputs_;  // one
  std::vector<Arena> outputs_;
  SharedFd object_;
  Json call_;
};

// A built object of tests/cpu/kernels, sealed.
SharedFd test_object(const std::string& name);

std::string read_file(const std::string& path);

// What element i of `out` must be, by the names of cases.json.
using Expected = std::function<double(const Candidate&, std::size_t)>;
const std::map<std::string, Expected>& expected_floats();
const std::map<std::string, Expected>& expected_integers();

// Compares `out` with what `name` expects; "" or the first difference.
std::string difference(const std::string& name, const Candidate& candidate);

// Sends an operation to a handler; a failed one throws std::runtime_error.
RunReport run(const Handler& handler, const Candidate& candidate, const std::string& op = "run");
RunReport sample(const Handler& handler, int runs, bool cold);

// Cases of tests/device/cases.json by name.
Json load_cases();

}  // namespace kvgen::test
