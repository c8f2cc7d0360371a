#include "generate/builtin/schedule.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace kvgen::builtin {
namespace {

// What computing a value at a group's current element would take.
struct Needs {
  bool possible = true;
  bool uses_locals = false;
  std::set<int> loads;
};

class Scheduler {
 public:
  explicit Scheduler(const Program& program) : program_(program) {
    for (const Output& output : program.outputs) outputs_[output.node].push_back(output.tensor);
    for (const Node& node : program.nodes) {
      if (node.kind == Kind::kMatmul) {
        for (const int operand : node.inputs) mark_operand(operand);
      }
      if (node.kind == Kind::kSort) mark_operand(node.inputs[0]);
    }
    mark_live();
  }

  Schedule run() {
    for (int id = 0; id < static_cast<int>(program_.nodes.size()); ++id) {
      if (!live_.contains(id)) continue;
      const Node& node = program_[id];
      if (node.kind == Kind::kReduce) place_fold(id, Group::Form::kRow);
      if (node.kind == Kind::kScan) place_fold(id, Group::Form::kScan);
      if (node.kind == Kind::kSort) place_sort(id);
      if (node.kind == Kind::kMatmul) place_matmul(id);
      place_stores(id);
    }
    order_groups();
    return std::move(result_);
  }

 private:
  // A product reads each operand many times: what must be computed is computed once.
  void mark_operand(int id) {
    const Node& node = program_[id];
    if (node.kind == Kind::kView) mark_operand(node.inputs[0]);
    if (node.kind == Kind::kPointwise) materialised_.insert(id);
    if (node.kind == Kind::kGuard) {
      for (const int input : node.inputs) mark_operand(input);
    }
  }

  void mark_live() {
    std::vector<int> pending;
    for (const auto& [node, tensors] : outputs_) pending.push_back(node);
    while (!pending.empty()) {
      const int id = pending.back();
      pending.pop_back();
      if (!live_.insert(id).second) continue;
      for (const int input : program_[id].inputs) pending.push_back(input);
    }
  }

  int owner(int node) const { return owners_.at(node); }

  bool runs_after(int group, int other) const {
    if (group == other) return true;
    const auto& after = result_.groups[static_cast<std::size_t>(group)].after;
    return std::any_of(after.begin(), after.end(),
                       [&](int before) { return runs_after(before, other); });
  }

  void walk(int id, const Indices& indices, const Group& group, int number, Needs& needs,
            std::unordered_set<std::string>& seen) const {
    std::string key = std::to_string(id);
    for (const Index& index : indices) key += "," + index->key;
    if (!seen.insert(key).second) return;
    const Node& node = program_[id];
    if (node.kind == Kind::kScalar) return;
    for (const Index& index : indices) walk_values(index, group, number, needs, seen);
    if (group.has_local(id)) {
      needs.uses_locals = true;
      needs.possible = needs.possible && group.is_current(indices);
      return;
    }
    const auto stored = owners_.find(id);
    if (stored != owners_.end() && stored->second != number) {
      needs.loads.insert(id);
      return;
    }
    if (node.kind == Kind::kView) {
      walk(node.inputs[0], through_view(program_, node, indices), group, number, needs, seen);
    } else if (node.kind == Kind::kPointwise || node.kind == Kind::kGuard) {
      for (const int input : node.inputs) walk(input, indices, group, number, needs, seen);
    }
    if (node.kind == Kind::kGuard || node.kind == Kind::kPosition) {
      walk_values(evaluated(node.formula_of_indices, indices), group, number, needs, seen);
    }
  }

  // Integers that an index reads from tensors.
  void walk_values(const Index& index, const Group& group, int number, Needs& needs,
                   std::unordered_set<std::string>& seen) const {
    visit_values(index, [&](const IndexNode& read) {
      walk(read.value_of, read.inputs, group, number, needs, seen);
    });
  }

  Needs needs_of(int id, const Indices& indices, const Group& group, int number) const {
    Needs needs;
    std::unordered_set<std::string> seen;
    walk(id, indices, group, number, needs, seen);
    for (const int load : needs.loads) {
      if (number >= 0 && runs_after(owner(load), number)) needs.possible = false;
    }
    return needs;
  }

  // Records the loads of a group, and stores what nobody had stored yet.
  void commit(int number, const Needs& needs) {
    for (const int load : needs.loads) {
      const int from = owner(load);
      if (!result_.stored.contains(load)) {
        const bool per_row = program_[load].kind == Kind::kReduce;
        store(from, load, new_buffer(load), per_row);
      }
      Group& group = result_.groups[static_cast<std::size_t>(number)];
      group.loads.insert(load);
      group.after.insert(from);
    }
  }

  std::string new_buffer(int id) {
    Buffer buffer;
    buffer.name = "tmp" + std::to_string(result_.buffers.size());
    while (taken(buffer.name)) buffer.name += "_";
    buffer.dtype = program_[id].dtype;
    buffer.shape = program_[id].shape;
    result_.buffers.push_back(buffer);
    return buffer.name;
  }

  bool taken(const std::string& name) const {
    return std::any_of(program_.nodes.begin(), program_.nodes.end(), [&](const Node& node) {
      return node.tensor == name || (node.kind == Kind::kScalar && node.expression == name);
    });
  }

  void store(int number, int id, const std::string& tensor, bool per_row) {
    result_.groups[static_cast<std::size_t>(number)].sinks.push_back({id, tensor, per_row});
    result_.stored.emplace(id, tensor);
    owners_.emplace(id, number);
  }

  int new_group(Group group) {
    result_.groups.push_back(std::move(group));
    return static_cast<int>(result_.groups.size()) - 1;
  }

  void place_fold(int id, Group::Form form) {
    const Node& node = program_[id];
    const Sizes& domain = program_[node.inputs[0]].shape;
    for (int g = static_cast<int>(result_.groups.size()); g-- > 0;) {
      Group& group = result_.groups[static_cast<std::size_t>(g)];
      if (group.form != form || group.reduced != node.dims || !same(group.domain, domain)) {
        continue;
      }
      const Needs needs = needs_of(node.inputs[0], group.element(), group, g);
      const bool nested = form == Group::Form::kScan && needs.uses_locals;
      if (!needs.possible || nested) continue;
      group.locals.push_back(id);
      owners_[id] = g;
      commit(g, needs);
      return;
    }
    Group group;
    group.form = form;
    group.domain = domain;
    group.reduced = node.dims;
    const Needs needs = needs_of(node.inputs[0], group.element(), group, -1);
    group.locals = {id};
    const int number = new_group(std::move(group));
    owners_[id] = number;
    commit(number, needs);
  }

  void place_sort(int id) {
    const Node& node = program_[id];
    Group group;
    group.form = Group::Form::kSort;
    group.domain = node.shape;
    group.reduced = node.dims;
    Indices indices = group.element();
    const auto along = static_cast<std::size_t>(node.dims[0]);
    indices[along] = coordinate(static_cast<int>(node.shape.size()));
    const Needs needs = needs_of(node.inputs[0], indices, group, -1);
    group.locals = {id};
    const int number = new_group(std::move(group));
    owners_[id] = number;
    commit(number, needs);
  }

  void place_matmul(int id) {
    const Node& node = program_[id];
    Group group;
    group.form = Group::Form::kMatmul;
    group.domain = node.shape;
    const auto rank = static_cast<int>(node.shape.size());
    Indices left = group.element();
    Indices right = left;
    left[static_cast<std::size_t>(rank) - 1] = coordinate(rank);
    right[static_cast<std::size_t>(rank) - 2] = coordinate(rank);
    Needs needs = needs_of(node.inputs[0], left, group, -1);
    needs.loads.merge(needs_of(node.inputs[1], right, group, -1).loads);
    group.locals = {id};
    const int number = new_group(std::move(group));
    owners_[id] = number;
    commit(number, needs);
  }

  void place_stores(int id) {
    const auto outputs = outputs_.find(id);
    if (outputs == outputs_.end() && !materialised_.contains(id)) return;
    const Node& node = program_[id];
    const bool local =
        node.kind == Kind::kReduce || node.kind == Kind::kMatmul || node.kind == Kind::kScan;
    Sink sink;
    const int number = local ? owner(id) : group_for(id, sink);
    sink.per_row = local ? node.kind == Kind::kReduce : sink.per_row;
    if (outputs == outputs_.end()) {
      store(number, id, new_buffer(id), sink.per_row);
      return;
    }
    for (const std::string& tensor : outputs->second) store(number, id, tensor, sink.per_row);
  }

  // An existing kernel that has the value's ingredients at hand, else a new one.
  int group_for(int id, Sink& sink) {
    sink.node = id;
    const Size count = product(program_[id].shape, program_.variants);
    for (int g = static_cast<int>(result_.groups.size()); g-- > 0;) {
      const Group& group = result_.groups[static_cast<std::size_t>(g)];
      if (group.form == Group::Form::kPointwise) continue;
      for (const bool per_row : {false, true}) {
        if (per_row && group.form != Group::Form::kRow) continue;
        const Sizes& space = per_row ? group.kept() : group.domain;
        if (!same(product(space, program_.variants), count)) continue;
        sink.per_row = per_row;
        const Indices indices =
            unflatten(group.position(sink), program_[id].shape, program_.variants);
        const Needs needs = needs_of(id, indices, group, g);
        if (!needs.possible || !needs.uses_locals) continue;
        commit(g, needs);
        return g;
      }
    }
    sink.per_row = false;
    Group group;
    group.domain = program_[id].shape;
    const Needs needs = needs_of(id, group.element(), group, -1);
    const int number = new_group(std::move(group));
    commit(number, needs);
    return number;
  }

  void order_groups() {
    std::set<int> done;
    while (result_.order.size() < result_.groups.size()) {
      for (int g = 0; g < static_cast<int>(result_.groups.size()); ++g) {
        const auto& after = result_.groups[static_cast<std::size_t>(g)].after;
        const bool ready = std::all_of(after.begin(), after.end(),
                                       [&](int before) { return done.contains(before); });
        if (done.contains(g) || !ready) continue;
        done.insert(g);
        result_.order.push_back(g);
      }
    }
  }

  const Program& program_;
  std::map<int, std::vector<std::string>> outputs_;
  std::set<int> materialised_;
  std::set<int> live_;
  std::map<int, int> owners_;  // node -> group that computes it as a local or stores it
  Schedule result_;
};

}  // namespace

Indices Group::element() const {
  Indices indices;
  for (std::size_t i = 0; i < domain.size(); ++i) {
    indices.push_back(domain[i].is_unit() ? zero() : coordinate(static_cast<int>(i)));
  }
  return indices;
}

bool Group::is_reduced(std::size_t dim) const {
  return std::find(reduced.begin(), reduced.end(), static_cast<int>(dim)) != reduced.end();
}

bool Group::has_local(int node) const {
  return std::find(locals.begin(), locals.end(), node) != locals.end();
}

bool Group::is_current(const Indices& indices) const {
  const Indices current = element();
  for (std::size_t i = 0; i < current.size(); ++i) {
    if ((form != Form::kRow || !is_reduced(i)) && indices[i]->key != current[i]->key) return false;
  }
  return true;
}

Sizes Group::kept() const {
  Sizes sizes;
  for (std::size_t i = 0; i < domain.size(); ++i) {
    if (!is_reduced(i)) sizes.push_back(domain[i]);
  }
  return sizes;
}

Index Group::position(const Sink& sink) const {
  const Indices current = element();
  std::vector<Part> parts;
  for (std::size_t i = 0; i < current.size(); ++i) {
    if (!sink.per_row || !is_reduced(i)) parts.push_back({current[i], domain[i]});
  }
  return linear(std::move(parts));
}

Schedule schedule(const Program& program) { return Scheduler(program).run(); }

}  // namespace kvgen::builtin
