#include "generate/builtin/emit.h"
#include "generate/builtin/evaluate.h"

namespace kvgen::builtin {
namespace {

constexpr int kTile = 64;   // rows and columns of a block's tile
constexpr int kDepth = 16;  // of the slices kept in LDS
constexpr int kThreads = 256;

std::string text_of(int value) { return std::to_string(value); }

// Coordinates: batch dimensions, then m and n as in the product, then k.
class MatmulKernel {
 public:
  MatmulKernel(const Program& program, const Schedule& schedule, const Group& group,
               std::string name, Emitted& emitted)
      : program_(program),
        schedule_(schedule),
        group_(group),
        product_(group.locals[0]),
        kernel_(std::move(name), program.variants),
        emitted_(emitted),
        evaluator_(program, schedule, group, kernel_),
        rank_(static_cast<int>(group.domain.size())),
        batches_(number(1, program.variants)) {
    const Node& left = program[program[product_].inputs[0]];
    depth_ = left.shape[static_cast<std::size_t>(rank_) - 1];
    std::map<int, Size> sizes;
    Axis batch{"batch", {}};
    for (int d = 0; d < rank_; ++d) sizes.emplace(d, group.domain[static_cast<std::size_t>(d)]);
    for (int d = 0; d + 2 < rank_; ++d) {
      batch.coordinates.push_back(d);
      batches_ = batches_ * sizes.at(d);
    }
    sizes.emplace(rank_, depth_);
    rows_ = sizes.at(rank_ - 2);
    columns_ = sizes.at(rank_ - 1);
    kernel_.set_axes({batch, {"m", {rank_ - 2}}, {"n", {rank_ - 1}}, {"k", {rank_}}}, sizes);
  }

  void write() {
    open();
    body_.open("for (I first = 0; first < " + kernel_.size(depth_) +
               "; first += " + text_of(kDepth) + ") {");
    load_tile(0, "a", "m", "row", rows_);
    load_tile(1, "b", "n", "column", columns_);
    body_.line("__syncthreads();");
    multiply();
    body_.line("__syncthreads();");
    body_.close();
    write_results();
    emitted_.source += kernel_.signature() + " {\n" + body_.text + "}\n\n";
    const Size tiles = ceil_div(rows_, kTile) * ceil_div(columns_, kTile);
    add_launches(
        {kernel_.name(), largest_position(program_, schedule_, group_), "",
         Json::array({(batches_ * tiles).text}), Json::array({kThreads}), "", kernel_.arguments()},
        emitted_);
  }

 private:
  void open() {
    const std::string rows = kernel_.size(rows_);
    const std::string columns = kernel_.size(columns_);
    // One column more than the tile keeps transposing stores off one LDS bank.
    for (const char* tile : {"a", "b"}) {
      body_.line(std::string("__shared__ float tile_") + tile + "[" + text_of(kDepth) + "][" +
                 text_of(kTile + 1) + "];");
    }
    body_.line("const I across = (" + columns + " + " + text_of(kTile - 1) + ") / " +
               text_of(kTile) + ";");
    body_.line("const I down = (" + rows + " + " + text_of(kTile - 1) + ") / " + text_of(kTile) +
               ";");
    body_.line("const I column = (I)blockIdx.x % across * " + text_of(kTile) + ";");
    body_.line("const I row = (I)blockIdx.x / across % down * " + text_of(kTile) + ";");
    body_.line("[[maybe_unused]] const I batch = (I)blockIdx.x / across / down;");
    body_.line("const int tx = threadIdx.x % 16;");
    body_.line("const int ty = threadIdx.x / 16;");
    body_.line("float sums[4][4] = {};");
  }

  Indices operand_indices(int side) const {
    Indices indices = group_.element();
    const auto rank = static_cast<std::size_t>(rank_);
    const Index k = depth_.is_unit() ? zero() : coordinate(rank_);
    if (side == 0) {
      indices[rank - 1] = k;
    } else {
      indices[rank - 2] = k;
    }
    return indices;
  }

  // Whether neighbours along k are neighbours in memory.
  bool depth_is_contiguous(int side) const {
    int id = program_[product_].inputs[static_cast<std::size_t>(side)];
    Indices indices = operand_indices(side);
    while (program_[id].kind == Kind::kView && !group_.loads.contains(id)) {
      indices = through_view(program_, program_[id], indices);
      id = program_[id].inputs[0];
    }
    const Index position = flatten(indices, program_[id].shape);
    const bool row_major = position->kind == IndexNode::Kind::kLinear;
    const Index& last = row_major ? position->parts.back().index : position;
    return last->kind == IndexNode::Kind::kCoordinate && last->coordinate == rank_;
  }

  void load_tile(int side, const std::string& tile, const std::string& line,
                 const std::string& origin, const Size& lines) {
    const bool by_depth = depth_is_contiguous(side);
    body_.open("for (int e = threadIdx.x; e < " + text_of(kTile * kDepth) +
               "; e += " + text_of(kThreads) + ") {");
    const std::string divisor = text_of(by_depth ? kDepth : kTile);
    body_.line(std::string("const int at = e ") + (by_depth ? "/ " : "% ") + divisor + ";");
    body_.line(std::string("const int deep = e ") + (by_depth ? "% " : "/ ") + divisor + ";");
    body_.line("const I " + line + " = " + origin + " + at;");
    body_.line("const I k = first + deep;");
    body_.line("float value = 0;");
    body_.open("if (" + line + " < " + kernel_.size(lines) + " && k < " + kernel_.size(depth_) +
               ") {");
    evaluator_.leave_scope();
    const int operand = program_[product_].inputs[static_cast<std::size_t>(side)];
    body_.line("value = " + evaluator_.value(operand, operand_indices(side), body_) + ";");
    evaluator_.leave_scope();
    body_.close();
    body_.line("tile_" + tile + "[deep][at] = value;");
    body_.close();
  }

  void multiply() {
    body_.open("for (int deep = 0; deep < " + text_of(kDepth) + "; ++deep) {");
    body_.line("float a[4];");
    body_.line("float b[4];");
    body_.line("for (int i = 0; i < 4; ++i) a[i] = tile_a[deep][ty + 16 * i];");
    body_.line("for (int j = 0; j < 4; ++j) b[j] = tile_b[deep][tx + 16 * j];");
    body_.line("for (int i = 0; i < 4; ++i) {");
    body_.line("  for (int j = 0; j < 4; ++j) sums[i][j] += a[i] * b[j];");
    body_.line("}");
    body_.close();
  }

  void write_results() {
    body_.open("for (int i = 0; i < 4; ++i) {");
    body_.open("for (int j = 0; j < 4; ++j) {");
    body_.line("const I m = row + ty + 16 * i;");
    body_.line("const I n = column + tx + 16 * j;");
    body_.line("if (m >= " + kernel_.size(rows_) + " || n >= " + kernel_.size(columns_) +
               ") continue;");
    evaluator_.set_local(product_, "sums[i][j]");
    for (const Sink& sink : group_.sinks) evaluator_.store(sink, body_);
    body_.close();
    body_.close();
  }

  const Program& program_;
  const Schedule& schedule_;
  const Group& group_;
  int product_;
  Kernel kernel_;
  Emitted& emitted_;
  Evaluator evaluator_;
  int rank_;
  Size batches_, rows_, columns_, depth_;
  Body body_;
};

}  // namespace

void emit_matmul(const Program& program, const Schedule& schedule, const Group& group,
                 const std::string& name, Emitted& emitted) {
  MatmulKernel(program, schedule, group, name, emitted).write();
}

}  // namespace kvgen::builtin
