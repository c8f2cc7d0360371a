#include "generate/builtin/builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace kvgen::builtin {
namespace {

std::string real_text(double value) {
  if (std::isnan(value)) return "NAN";
  if (std::isinf(value)) return value > 0 ? "INFINITY" : "-INFINITY";
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

constexpr std::int64_t kLargestChoiceOfHow = 8;

std::string numbers(const std::vector<int>& values) {
  std::string text;
  for (const int value : values) text += std::to_string(value) + ",";
  return text;
}

std::string texts(const Sizes& sizes) {
  std::string text;
  for (const Size& size : sizes) text += size.text + ",";
  return text;
}

}  // namespace

Builder::Builder(const Task& task) : task_(task) {
  program_.variants = task.variants.size();
  if (task.variants.empty()) return;
  // Inputs before parameters before outputs: the first that fits names a size.
  const std::vector<TensorSpec> specs = task.variants[0].tensors();
  for (std::size_t t = 0; t < specs.size(); ++t) {
    for (std::size_t d = 0; d < specs[t].shape.size(); ++d) {
      Size size{"dim(" + specs[t].name + ", " + std::to_string(d) + ")", {}, Size::Form::kAtom};
      for (const Variant& variant : task.variants) {
        const std::vector<TensorSpec> others = variant.tensors();
        if (t >= others.size() || d >= others[t].shape.size()) break;
        size.at.push_back(others[t].shape[d]);
      }
      if (size.at.size() == variants()) tensor_sizes_.push_back(std::move(size));
    }
  }
}

int Builder::decline(const std::string& reason) {
  if (!declined_) declined_ = reason;
  return -1;
}

Size Builder::number(std::int64_t value) const { return builtin::number(value, variants()); }

std::optional<Size> Builder::known(const std::vector<std::int64_t>& at) const {
  const auto agrees = [&](const Size& size) { return size.at == at; };
  if (std::all_of(at.begin(), at.end(), [](std::int64_t v) { return v == 1; })) return number(1);
  const auto found = std::find_if(tensor_sizes_.begin(), tensor_sizes_.end(), agrees);
  if (found != tensor_sizes_.end()) return *found;
  for (const Symbol& symbol : task_.variants[0].symbols) {
    Size size{symbol.name, {}, Size::Form::kAtom};
    for (const Variant& variant : task_.variants) {
      for (const Symbol& twin : variant.symbols) {
        const auto* value = std::get_if<std::int64_t>(&twin.value);
        if (twin.name == symbol.name && value != nullptr) size.at.push_back(*value);
      }
    }
    if (agrees(size)) return size;
  }
  const bool constant = std::all_of(at.begin(), at.end(), [&](auto v) { return v == at[0]; });
  if (constant && variants() > 1) return number(at[0]);
  return std::nullopt;
}

std::optional<Size> Builder::expressed(const std::vector<std::int64_t>& at) const {
  if (const auto size = known(at)) return size;
  const auto fits = [&](const Size& size) { return size.at == at; };
  for (const Size& size : tensor_sizes_) {
    const std::int64_t here = size.at[0];
    if (here == 0 || at[0] == 0) continue;
    const Size candidates[] = {
        here % at[0] == 0 ? quotient(size, number(here / at[0])) : size,
        at[0] % here == 0 ? size * number(at[0] / here) : size,
        here > at[0] ? size - number(here - at[0]) : size + number(at[0] - here),
    };
    for (const Size& candidate : candidates) {
      if (fits(candidate)) return candidate;
    }
  }
  for (const Size& a : tensor_sizes_) {
    for (const Size& b : tensor_sizes_) {
      if (const Size both = a * b; fits(both)) return both;
    }
  }
  return std::nullopt;
}

bool Builder::taken(const std::string& name) const {
  for (const TensorSpec& spec : task_.variants[0].tensors()) {
    if (spec.name == name) return true;
  }
  for (const Symbol& symbol : task_.variants[0].symbols) {
    if (symbol.name == name) return true;
  }
  return false;
}

Size Builder::named(const Size& size) {
  if (size.form == Size::Form::kAtom || size.text.size() < 16) return size;
  if (const auto other = known(size.at)) return *other;
  for (const auto& [name, value] : program_.lets) {
    if (value == size.text) return {name, size.at, Size::Form::kAtom};
  }
  std::string name = "n" + std::to_string(program_.lets.size());
  while (taken(name)) name += "_";
  program_.lets.emplace_back(name, size.text);
  return {name, size.at, Size::Form::kAtom};
}

std::optional<Size> Builder::size_argument(const Call& call, std::size_t position,
                                           std::string_view name, int item) const {
  const auto values = call.integer_in_each(position, name, item);
  if (!values) return std::nullopt;
  const bool constant = std::all_of(values->begin(), values->end(),
                                    [&](std::int64_t value) { return value == (*values)[0]; });
  if (constant && ((*values)[0] == 0 || (*values)[0] == 1)) return number((*values)[0]);
  for (const int place : {item, 0, -1}) {
    if (place != item && call.length(position, name) > 1) break;
    if (const auto carrier = symbol(call, position, name, place)) {
      return Size{*carrier, *values, Size::Form::kAtom};
    }
  }
  // A small constant says how; a large one is more likely a size of the tensors.
  if (constant && (*values)[0] <= kLargestChoiceOfHow) return number((*values)[0]);
  const auto size = known(*values);
  return size || !constant ? size : number((*values)[0]);
}

std::optional<std::string> Builder::symbol(const Call& call, std::size_t position,
                                           std::string_view name, int item) const {
  const bool positional = position < call.first().args.size();
  for (const Symbol& symbol : task_.variants[0].symbols) {
    for (const SymbolUse& use : symbol.uses) {
      const bool here =
          positional ? use.arg == static_cast<int>(position) : use.arg < 0 && use.keyword == name;
      if (use.node == call.number() && here && use.item == item) return symbol.name;
    }
  }
  return std::nullopt;
}

int Builder::add(Node node) {
  if (declined_) return -1;
  if (program_.nodes.size() > 4096) return decline("the graph is too large");
  program_.nodes.push_back(std::move(node));
  return static_cast<int>(program_.nodes.size()) - 1;
}

int Builder::keyed(Node node, const std::string& key) {
  if (declined_) return -1;
  const auto found = made_.find(key);
  if (found != made_.end()) return found->second;
  const int id = add(std::move(node));
  if (id >= 0) made_.emplace(key, id);
  return id;
}

int Builder::tensor(const std::string& name, DType dtype, Sizes shape) {
  Node node;
  node.kind = Kind::kTensor;
  node.dtype = dtype;
  node.tensor = name;
  node.shape = std::move(shape);
  return keyed(std::move(node), "tensor " + name);
}

int Builder::literal(double value) {
  Node node;
  node.kind = Kind::kScalar;
  node.dtype =
      std::trunc(value) == value && std::abs(value) < 1e15 ? DType::kInt64 : DType::kFloat64;
  node.expression = real_text(value);
  node.literal = true;
  return keyed(std::move(node), "literal " + real_text(value));
}

int Builder::size_scalar(const std::string& expression) {
  Node node;
  node.kind = Kind::kScalar;
  node.dtype = DType::kFloat64;
  node.expression = expression;
  return keyed(std::move(node), "scalar " + expression);
}

int Builder::size_number(const Size& size) {
  if (size.is_literal()) return literal(static_cast<double>(size.at[0]));
  Node node;
  node.kind = Kind::kScalar;
  node.dtype = DType::kInt64;
  node.expression = size.text;
  return keyed(std::move(node), "scalar " + size.text);
}

int Builder::scalar(const Call& call, std::size_t position, std::string_view name,
                    std::optional<double> fallback) {
  if (declined_) return -1;
  const auto number = call.number_at(position, name);
  if (!number) {
    bool absent = true;
    for (std::size_t v = 0; v < variants(); ++v) {
      absent = absent && call.argument(position, name, v) == nullptr;
    }
    if (absent && fallback) return literal(*fallback);
    return decline("no rule for this use of " + call.op() + " (argument " + std::string(name) +
                   ")");
  }
  for (const double value : number->at) {
    if (std::isnan(value)) return decline("no rule for NaN as an argument of " + call.op());
  }
  if (const auto carrier = symbol(call, position, name)) {
    Node node;
    node.kind = Kind::kScalar;
    node.dtype = number->integers.empty() ? DType::kFloat64 : DType::kInt64;
    node.expression = *carrier;
    return keyed(std::move(node), "scalar " + *carrier);
  }
  for (const double value : number->at) {
    if (value != number->at[0]) {
      return decline("the argument " + std::string(name) + " of " + call.op() +
                     " changes with the shape and has no symbol");
    }
  }
  return literal(number->at[0]);
}

std::optional<Sizes> Builder::broadcast_shape(const std::vector<int>& inputs) {
  std::size_t rank = 0;
  for (const int input : inputs) rank = std::max(rank, shape(input).size());
  Sizes result(rank, number(1));
  for (const int input : inputs) {
    const Sizes& sizes = shape(input);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      Size& target = result[rank - sizes.size() + i];
      if (sizes[i].all_ones() || same(sizes[i], target)) continue;
      if (!target.all_ones()) return std::nullopt;
      target = sizes[i];
    }
  }
  return result;
}

int Builder::mixed(const std::string& formula, std::vector<int> inputs, DType dtype,
                   DType computes_in) {
  if (declined_) return -1;
  for (const int input : inputs) {
    if (input < 0) return -1;
  }
  const auto common = broadcast_shape(inputs);
  if (!common) return decline("no rule for broadcasting that depends on the variant");
  Node node;
  node.kind = Kind::kPointwise;
  node.dtype = dtype;
  node.computes_in = computes_in;
  node.formula = formula;
  node.shape = *common;
  for (int& input : inputs) {
    if (program_[input].kind != Kind::kScalar) input = broadcast_to(input, *common);
  }
  node.inputs = inputs;
  return keyed(std::move(node), "op " + formula + " " + std::string(to_string(dtype)) + " " +
                                    std::string(to_string(computes_in)) + " " + numbers(inputs));
}

int Builder::pointwise(const std::string& formula, std::vector<int> inputs, DType dtype,
                       DType computes_in) {
  for (int& input : inputs) {
    if (input >= 0 && program_[input].kind != Kind::kScalar) input = cast(input, computes_in);
  }
  return mixed(formula, std::move(inputs), dtype, computes_in);
}

int Builder::cast(int id, DType to) {
  if (id < 0 || dtype(id) == to) return id;
  const DType from = dtype(id);
  if (to == DType::kBool) return mixed("($0 != 0)", {id}, to, from);
  const bool widening = is_floating(from) && to == DType::kFloat32 && from != DType::kFloat64;
  if (widening || (is_floating(from) && to == DType::kFloat64)) return mixed("(T)$0", {id}, to, to);
  if (to == DType::kFloat16) return mixed("(float)(_Float16)$0", {id}, to, to);
  if (to == DType::kBFloat16) return mixed("(float)(__hip_bfloat16)(float)$0", {id}, to, to);
  return mixed("(T)$0", {id}, to, to);
}

int Builder::permute(int id, std::vector<int> order) {
  if (declined_ || id < 0) return -1;
  bool moves = false;
  Node node;
  node.kind = Kind::kView;
  node.view = ViewKind::kPermute;
  node.dtype = dtype(id);
  node.inputs = {id};
  for (std::size_t i = 0; i < order.size(); ++i) {
    moves = moves || order[i] != static_cast<int>(i);
    node.shape.push_back(shape(id)[static_cast<std::size_t>(order[i])]);
  }
  if (!moves) return id;
  const std::string key = "permute " + std::to_string(id) + " " + numbers(order);
  node.order = std::move(order);
  return keyed(std::move(node), key);
}

int Builder::broadcast_to(int id, const Sizes& target) {
  if (declined_ || id < 0) return -1;
  const Sizes& own = shape(id);
  if (own.size() == target.size() && same(own, target)) return id;
  if (own.size() > target.size()) return decline("no rule for this broadcast");
  for (std::size_t i = 0; i < own.size(); ++i) {
    const Size& wanted = target[target.size() - own.size() + i];
    if (!own[i].all_ones() && !same(own[i], wanted)) return decline("no rule for this broadcast");
  }
  Node node;
  node.kind = Kind::kView;
  node.view = ViewKind::kBroadcast;
  node.dtype = dtype(id);
  node.inputs = {id};
  node.shape = target;
  return keyed(std::move(node), "broadcast " + std::to_string(id) + " " + texts(target));
}

int Builder::reshape(int id, Sizes target) {
  if (declined_ || id < 0) return -1;
  if (same(shape(id), target)) return id;
  if (!same(product(shape(id), variants()), product(target, variants()))) {
    return decline("no rule for this reshape");
  }
  Node node;
  node.kind = Kind::kView;
  node.view = ViewKind::kReshape;
  node.dtype = dtype(id);
  node.inputs = {id};
  const std::string key = "reshape " + std::to_string(id) + " " + texts(target);
  node.shape = std::move(target);
  return keyed(std::move(node), key);
}

int Builder::squeeze(int id, const std::vector<int>& dims) {
  if (declined_ || id < 0) return -1;
  Sizes target;
  for (std::size_t i = 0; i < shape(id).size(); ++i) {
    if (std::find(dims.begin(), dims.end(), static_cast<int>(i)) == dims.end()) {
      target.push_back(shape(id)[i]);
    }
  }
  return reshape(id, std::move(target));
}

int Builder::reduce(Fold fold, int id, std::vector<int> dims) {
  if (dims.empty()) return declined_ ? -1 : id;
  return folded(fold, id, std::move(dims), false);
}

int Builder::arg_reduce(Fold fold, int id, std::vector<int> dims) {
  return folded(fold, id, std::move(dims), true);
}

int Builder::folded(Fold fold, int id, std::vector<int> dims, bool arg) {
  if (declined_ || id < 0) return -1;
  std::sort(dims.begin(), dims.end());
  dims.erase(std::unique(dims.begin(), dims.end()), dims.end());
  Node node;
  node.kind = Kind::kReduce;
  node.fold = fold;
  node.arg = arg;
  node.dtype = arg ? DType::kInt64 : dtype(id);
  node.inputs = {id};
  node.shape = shape(id);
  for (const int dim : dims) node.shape[static_cast<std::size_t>(dim)] = number(1);
  const std::string key = std::string(arg ? "arg " : "reduce ") +
                          std::to_string(static_cast<int>(fold)) + " " + std::to_string(id) + " " +
                          numbers(dims);
  node.dims = std::move(dims);
  return keyed(std::move(node), key);
}

int Builder::scan(Fold fold, int id, int dim, bool arg) {
  if (declined_ || id < 0) return -1;
  Node node;
  node.kind = Kind::kScan;
  node.fold = fold;
  node.arg = arg;
  node.dtype = arg ? DType::kInt64 : dtype(id);
  node.inputs = {id};
  node.shape = shape(id);
  node.dims = {dim};
  return keyed(std::move(node), "scan " + std::to_string(static_cast<int>(fold)) + " " +
                                    numbers({id, dim, arg ? 1 : 0}));
}

int Builder::sort(int id, int dim, bool descending, const Size& count) {
  if (declined_ || id < 0) return -1;
  const auto d = static_cast<std::size_t>(dim);
  const Size& length = shape(id)[d];
  for (std::size_t v = 0; v < variants(); ++v) {
    if (length.at[v] > kLargestSort && count.at[v] > kLargestChoice) {
      return decline("no rule for sorting rows of more than " + std::to_string(kLargestSort));
    }
  }
  Node node;
  node.kind = Kind::kSort;
  node.dtype = DType::kInt64;
  node.inputs = {id};
  node.shape = shape(id);
  node.shape[d] = count;
  node.dims = {dim};
  node.descending = descending;
  return keyed(std::move(node), "sort " + numbers({id, dim, descending ? 1 : 0}) + count.text);
}

int Builder::matmul(int a, int b) {
  if (declined_ || a < 0 || b < 0) return -1;
  const std::size_t rank = shape(a).size();
  if (rank < 2 || shape(b).size() != rank || !same(shape(a)[rank - 1], shape(b)[rank - 2])) {
    return decline("no rule for this matrix product");
  }
  Node node;
  node.kind = Kind::kMatmul;
  node.dtype = dtype(a);
  node.inputs = {a, b};
  node.shape = shape(a);
  node.shape[rank - 1] = shape(b)[rank - 1];
  return keyed(std::move(node), "matmul " + numbers({a, b}));
}

int Builder::dimension(int id, std::int64_t dim) {
  if (declined_ || id < 0) return -1;
  const auto rank = static_cast<std::int64_t>(shape(id).size());
  const std::int64_t wrapped = dim < 0 ? dim + rank : dim;
  if (wrapped < 0 || wrapped >= rank) {
    decline("a dimension is out of range");
    return -1;
  }
  return static_cast<int>(wrapped);
}

}  // namespace kvgen::builtin
