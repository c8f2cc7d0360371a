#include <algorithm>

#include "generate/builtin/emit.h"
#include "generate/builtin/evaluate.h"
#include "generate/builtin/fold.h"

namespace kvgen::builtin {
namespace {

class ScanKernel {
 public:
  ScanKernel(const Program& program, const Schedule& schedule, const Group& group, std::string name,
             bool block_per_row, Emitted& emitted)
      : program_(program),
        schedule_(schedule),
        group_(group),
        kernel_(std::move(name), program.variants),
        block_(block_per_row),
        emitted_(emitted),
        evaluator_(program, schedule, group, kernel_),
        rows_(number(1, program.variants)) {
    Axis row{"row", {}};
    std::map<int, Size> sizes;
    for (std::size_t d = 0; d < group.domain.size(); ++d) {
      sizes.emplace(static_cast<int>(d), group.domain[d]);
      if (group.is_reduced(d)) continue;
      row.coordinates.push_back(static_cast<int>(d));
      rows_ = rows_ * group.domain[d];
    }
    columns_ = group.domain[static_cast<std::size_t>(group.reduced[0])];
    kernel_.set_axes({row, {"col", {group.reduced[0]}}}, sizes);
  }

  void write(const std::string& when) {
    const std::string limit = kernel_.size(columns_);
    if (block_) {
      body_.line("const I row = (I)blockIdx.x;");
    } else {
      const std::string rows = kernel_.size(rows_);
      body_.line("const I row = (I)blockIdx.x * blockDim.x + threadIdx.x;");
      body_.line("if (row >= " + rows + ") return;");
    }
    for (const int local : group_.locals) {
      const FoldText fold = fold_text(program_, local);
      emitted_.helpers.insert(fold.helpers.begin(), fold.helpers.end());
      body_.line(fold.type + " " + running(local) + " = " + fold.start + ";");
    }
    if (block_) {
      write_by_block(limit);
    } else {
      body_.open("for (I col = 0; col < " + limit + "; ++col) {");
      for (const int local : group_.locals) {
        const std::string functor = fold_text(program_, local).functor;
        body_.line(running(local) + " = " + functor + "::of(" + running(local) + ", " +
                   term(local) + ");");
        evaluator_.set_local(local, result(local, running(local)));
      }
      for (const Sink& sink : group_.sinks) evaluator_.store(sink, body_);
      evaluator_.close(body_);
    }
    emitted_.source += kernel_.signature() + " {\n" + body_.text + "}\n\n";
    Launch launch;
    launch.kernel = kernel_.name();
    launch.count = largest_position(program_, schedule_, group_);
    launch.when = when;
    launch.grid = Json::array({block_ ? rows_.text : ceil_div(rows_, 64).text});
    launch.block = Json::array({block_ ? 256 : 64});
    launch.arguments = kernel_.arguments();
    add_launches(launch, emitted_);
  }

 private:
  // Chunks of as many columns as there are threads; what came before is carried.
  void write_by_block(const std::string& limit) {
    emitted_.helpers.insert({"lane_up", "block_scan"});
    body_.open("for (I first = 0; first < " + limit + "; first += blockDim.x) {");
    body_.line("const I col = first + threadIdx.x;");
    for (const int local : group_.locals) {
      const FoldText fold = fold_text(program_, local);
      body_.line(fold.type + " " + scanned(local) + " = " + fold.start + ";");
    }
    body_.open("if (col < " + limit + ") {");
    for (const int local : group_.locals) body_.line(scanned(local) + " = " + term(local) + ";");
    evaluator_.close(body_);
    for (const int local : group_.locals) {
      emitted_.helpers.insert("lane_up" + fold_text(program_, local).lanes);
      body_.line(scanned(local) + " = block_scan<" + fold_text(program_, local).functor + ">(" +
                 scanned(local) + ", " + running(local) + ");");
      evaluator_.set_local(local, result(local, scanned(local)));
    }
    body_.open("if (col < " + limit + ") {");
    for (const Sink& sink : group_.sinks) evaluator_.store(sink, body_);
    evaluator_.close(body_);
    evaluator_.close(body_);
  }

  std::string term(int local) {
    return fold_text(program_, local)
        .of_element(evaluator_.value(program_[local].inputs[0], group_.element(), body_));
  }

  std::string result(int local, const std::string& variable) const {
    return fold_text(program_, local).of_folded(variable);
  }

  static std::string running(int local) { return "run" + std::to_string(local); }
  static std::string scanned(int local) { return "r" + std::to_string(local); }

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

// A block a row where the scanned dimension is contiguous and long, else a
// thread a row, whose loads are coalesced across rows.
void emit_scan(const Program& program, const Schedule& schedule, const Group& group,
               const std::string& name, Emitted& emitted) {
  std::size_t last = group.domain.size();
  while (last > 0 && group.domain[last - 1].is_unit()) --last;
  if (last == 0 || !group.is_reduced(last - 1)) {
    ScanKernel(program, schedule, group, name, false, emitted).write("");
    return;
  }
  const std::string columns = group.domain[last - 1].text;
  ScanKernel(program, schedule, group, name, true, emitted).write("(" + columns + ") > 32");
  ScanKernel(program, schedule, group, name + "_short", false, emitted)
      .write("(" + columns + ") <= 32");
}

}  // namespace kvgen::builtin
