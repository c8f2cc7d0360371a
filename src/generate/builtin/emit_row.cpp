#include <algorithm>

#include "generate/builtin/emit.h"
#include "generate/builtin/evaluate.h"
#include "generate/builtin/fold.h"

namespace kvgen::builtin {
namespace {

// A reduction is ready one pass after the reductions that its input needs.
std::vector<std::vector<int>> passes(const Program& program, const Group& group) {
  std::map<int, std::size_t> levels;
  const auto level_below = [&](int node) {
    std::size_t level = 0;
    std::set<int> seen;
    std::vector<int> pending = {node};
    while (!pending.empty()) {
      const int id = pending.back();
      pending.pop_back();
      if (!seen.insert(id).second) continue;
      if (const auto found = levels.find(id); found != levels.end()) {
        level = std::max(level, found->second + 1);
        continue;
      }
      if (group.loads.contains(id)) continue;
      for (const int input : program[id].inputs) pending.push_back(input);
    }
    return level;
  };
  std::vector<std::vector<int>> result;
  std::vector<int> locals = group.locals;
  std::sort(locals.begin(), locals.end());
  for (const int local : locals) {
    const std::size_t level = level_below(program[local].inputs[0]);
    levels[local] = level;
    if (result.size() <= level) result.resize(level + 1);
    result[level].push_back(local);
  }
  return result;
}

class RowKernel {
 public:
  RowKernel(const Program& program, const Schedule& schedule, const Group& group, std::string name,
            bool block_per_row, Emitted& emitted)
      : program_(program),
        schedule_(schedule),
        group_(group),
        kernel_(std::move(name), program.variants),
        block_(block_per_row),
        emitted_(emitted),
        evaluator_(program, schedule, group, kernel_),
        rows_(number(1, program.variants)),
        columns_(number(1, program.variants)) {
    Axis row{"row", {}};
    Axis column{"col", {}};
    std::map<int, Size> sizes;
    for (std::size_t d = 0; d < group.domain.size(); ++d) {
      const bool reduced = group.is_reduced(d);
      (reduced ? column : row).coordinates.push_back(static_cast<int>(d));
      sizes.emplace(static_cast<int>(d), group.domain[d]);
      Size& count = reduced ? columns_ : rows_;
      count = count * group.domain[d];
    }
    kernel_.set_axes({row, column}, sizes);
  }

  void write(const std::string& when) {
    open();
    for (const auto& pass : passes(program_, group_)) write_pass(pass);
    const auto wide = std::any_of(group_.sinks.begin(), group_.sinks.end(),
                                  [](const Sink& sink) { return !sink.per_row; });
    if (wide) {
      begin_loop();
      for (const Sink& sink : group_.sinks) {
        if (!sink.per_row) evaluator_.store(sink, body_);
      }
      evaluator_.close(body_);
    }
    write_row_results();
    emitted_.source += kernel_.signature() + " {\n" + body_.text + "}\n\n";
    launch(when);
  }

 private:
  void open() {
    if (block_) {
      body_.line("const I row = (I)blockIdx.x;");
      return;
    }
    const std::string limit = kernel_.size(rows_);
    body_.line("const I row = (I)blockIdx.x * blockDim.x + threadIdx.x;");
    body_.line("if (row >= " + limit + ") return;");
  }

  void begin_loop() {
    const std::string limit = kernel_.size(columns_);
    body_.open(block_ ? "for (I col = threadIdx.x; col < " + limit + "; col += blockDim.x) {"
                      : "for (I col = 0; col < " + limit + "; ++col) {");
  }

  void write_pass(const std::vector<int>& pass) {
    for (const int local : pass) {
      const FoldText fold = fold_text(program_, local);
      body_.line(fold.type + " " + variable(local) + " = " + fold.start + ";");
    }
    evaluator_.leave_scope();
    begin_loop();
    for (const int local : pass) {
      const Node& node = program_[local];
      const FoldText fold = fold_text(program_, local);
      const std::string term =
          fold.of_element(evaluator_.value(node.inputs[0], group_.element(), body_));
      emitted_.helpers.insert(fold.helpers.begin(), fold.helpers.end());
      body_.line(variable(local) + " = " + fold.functor + "::of(" + variable(local) + ", " + term +
                 ");");
    }
    evaluator_.close(body_);
    for (const int local : pass) {
      if (block_) {
        emitted_.helpers.insert({"lane_xor", "block_fold"});
        emitted_.helpers.insert("lane_xor" + fold_text(program_, local).lanes);
        body_.line(variable(local) + " = block_fold<" + fold_text(program_, local).functor + ">(" +
                   variable(local) + ");");
      }
      evaluator_.set_local(local, fold_text(program_, local).of_folded(variable(local)));
    }
  }

  void write_row_results() {
    const auto narrow = std::any_of(group_.sinks.begin(), group_.sinks.end(),
                                    [](const Sink& sink) { return sink.per_row; });
    if (!narrow) return;
    if (block_) body_.open("if (threadIdx.x == 0) {");
    for (const Sink& sink : group_.sinks) {
      if (sink.per_row) evaluator_.store(sink, body_);
    }
    if (block_) body_.close();
  }

  void launch(const std::string& when) {
    Launch launch;
    launch.kernel = kernel_.name();
    launch.count = largest_position(program_, schedule_, group_);
    launch.when = when;
    launch.grid = Json::array({block_ ? rows_.text : ceil_div(rows_, 256).text});
    launch.block =
        Json::array({block_ ? Json("(" + columns_.text + ") <= 1024 ? 64 : 256") : Json(256)});
    launch.arguments = kernel_.arguments();
    add_launches(launch, emitted_);
  }

  static std::string variable(int local) { return "r" + std::to_string(local); }

  const Program& program_;
  const Schedule& schedule_;
  const Group& group_;
  Kernel kernel_;
  bool block_;
  Emitted& emitted_;
  Evaluator evaluator_;
  Size rows_;
  Size columns_;
  Body body_;
};

}  // namespace

// Where the last dimension is reduced, neighbouring threads share a row, so
// that loads are coalesced; else each thread has a row of its own, and loads
// are coalesced across rows. Short rows are cheaper one a thread, too.
void emit_row(const Program& program, const Schedule& schedule, const Group& group,
              const std::string& name, Emitted& emitted) {
  std::size_t last = group.domain.size();
  while (last > 0 && group.domain[last - 1].is_unit()) --last;
  if (last == 0 || !group.is_reduced(last - 1)) {
    RowKernel(program, schedule, group, name, false, emitted).write("");
    return;
  }
  Size columns = number(1, program.variants);
  for (const int dim : group.reduced)
    columns = columns * group.domain[static_cast<std::size_t>(dim)];
  RowKernel(program, schedule, group, name, true, emitted).write("(" + columns.text + ") > 32");
  RowKernel(program, schedule, group, name + "_short", false, emitted)
      .write("(" + columns.text + ") <= 32");
}

}  // namespace kvgen::builtin
