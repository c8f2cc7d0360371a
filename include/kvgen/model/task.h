#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"
#include "kvgen/model/graph.h"

namespace kvgen {

inline constexpr int kTaskSchema = 1;

// Where a graph uses a symbol: an argument of a node, by position or keyword, or
// an item of the list there.
struct SymbolUse {
  int node = 0;
  int arg = -1;  // -1: by keyword
  std::string keyword;
  int item = -1;  // -1: the argument itself
};

// A named scalar that plans may use: an argument of the graph ("layer_norm.eps")
// or a Python scalar given to forward. Variants have the same symbols and uses.
struct Symbol {
  std::string name;
  std::variant<std::int64_t, double> value;
  std::vector<SymbolUse> uses;
};

// One set of shapes of a task: "official", "small" (at most about 4M elements,
// 3 GFLOP) or "tiny" (at most 64k elements, 20 MFLOP). Where they can be had, also
// "odd" and "tiny_odd", beside those two with a batch of three and sizes that are
// primes or odd multiples, and "batch_only", the official sizes with a batch of two.
struct Variant {
  std::string name;
  Graph graph;
  InitProgram init;    // parameters and module buffers
  InitProgram inputs;  // what get_inputs() returned
  std::vector<Symbol> symbols;
  Json sizes = Json::object();  // the integers changed in the source, site -> value

  // What a plan may name, in order: inputs, parameters, buffers, constants, outputs.
  [[nodiscard]] std::vector<TensorSpec> tensors() const;
};

// A reference module, captured. The content hash covers everything but itself,
// the marks and the versions of what captured it.
struct Task {
  std::string name;
  std::string hash;                   // of the content; filled by task_from and seal
  std::string structural_hash;        // shapes and names removed; by graph/structure.h
  std::string entry;                  // "softmax.py:Model"
  std::string source;                 // the module's text
  std::string license;                // SPDX, or ""
  std::string origin;                 // where the source came from, or ""
  Json captured_by = Json::object();  // versions of torch, python, the capture package
  std::vector<Variant> variants;
  std::vector<std::string> marks;  // "degenerate: zeros", "ignores: x", "random"
  std::vector<std::string> notes;  // renamed inputs and the like, for the prompt

  [[nodiscard]] const Variant* variant(std::string_view name) const;
};

// Computes and stores the content hash.
void seal(Task& task);

Json to_json(const Variant& variant);
Result<Variant> variant_from(const Json& json, const std::string& where);
Json to_json(const Task& task);

// Checks the schema version and that a stored hash fits the content (a torn or
// edited bundle does not).
Result<Task> task_from(const Json& json, const std::string& where);

}  // namespace kvgen
