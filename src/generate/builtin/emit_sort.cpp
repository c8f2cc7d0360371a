#include <algorithm>

#include "generate/builtin/emit.h"
#include "generate/builtin/evaluate.h"

namespace kvgen::builtin {
namespace {

constexpr int kThreads = 256;

// Coordinates: those of the result, then the place in the input's row.
class SortKernel {
 public:
  SortKernel(const Program& program, const Schedule& schedule, const Group& group, std::string name,
             Emitted& emitted)
      : program_(program),
        schedule_(schedule),
        group_(group),
        order_(group.locals[0]),
        kernel_(std::move(name), program.variants),
        emitted_(emitted),
        evaluator_(program, schedule, group, kernel_),
        rows_(number(1, program.variants)) {
    Axis row{"row", {}};
    std::map<int, Size> sizes;
    const auto rank = static_cast<int>(group.domain.size());
    const int along = group.reduced[0];
    for (int d = 0; d < rank; ++d) {
      sizes.emplace(d, group.domain[static_cast<std::size_t>(d)]);
      if (d == along) continue;
      row.coordinates.push_back(d);
      rows_ = rows_ * sizes.at(d);
    }
    count_ = sizes.at(along);
    const Node& input = program[program[order_].inputs[0]];
    length_ = input.shape[static_cast<std::size_t>(along)];
    sizes.emplace(rank, length_);
    kernel_.set_axes({row, {"col", {along}}, {"at", {rank}}}, sizes);
    source_ = group.element();
    source_[static_cast<std::size_t>(along)] = length_.is_unit() ? zero() : coordinate(rank);
    type_ = compute_type(input.dtype);
    before_ = program[order_].descending ? "Descending" : "Ascending";
    emitted_.helpers.insert(before_);
  }

  void write() {
    const bool in_lds = std::all_of(length_.at.begin(), length_.at.end(),
                                    [](std::int64_t value) { return value <= kLargestSort; });
    body_.line("const I row = (I)blockIdx.x;");
    Launch launch;
    if (in_lds) {
      sort_in_lds();
      launch.shared = "next_pow2(" + length_.text + ") * " + std::to_string(bytes() + 4);
    } else {
      choose_one_by_one();
    }
    emitted_.source += kernel_.signature() + " {\n" + body_.text + "}\n\n";
    launch.kernel = kernel_.name();
    launch.count = largest_position(program_, schedule_, group_);
    launch.grid = Json::array({rows_.text});
    launch.block = Json::array({kThreads});
    launch.arguments = kernel_.arguments();
    add_launches(launch, emitted_);
  }

 private:
  [[nodiscard]] int bytes() const {
    const DType dtype = program_[program_[order_].inputs[0]].dtype;
    const bool wide = dtype == DType::kFloat64 || dtype == DType::kInt64;
    return wide ? 8 : 4;
  }

  // Keys, then places; beyond the row's end, places that stand last.
  void sort_in_lds() {
    const std::string length = kernel_.size(length_);
    const std::string key = bytes() == 8 || type_ == "float" ? type_ : "int32_t";
    body_.line("extern __shared__ char lds[];");
    body_.line("int size = 1;");
    body_.line("while (size < " + length + ") size *= 2;");
    body_.line(key + "* keys = (" + key + "*)lds;");
    body_.line("int* places = (int*)(keys + size);");
    body_.open("for (int slot = threadIdx.x; slot < size; slot += blockDim.x) {");
    body_.line("const I at = slot;");
    body_.line("keys[slot] = 0;");
    body_.line("places[slot] = slot;");
    body_.open("if (at < " + length + ") {");
    body_.line("keys[slot] = " + evaluator_.value(program_[order_].inputs[0], source_, body_) +
               ";");
    evaluator_.close(body_);
    evaluator_.close(body_);
    body_.line("__syncthreads();");
    body_.open("for (int width = 2; width <= size; width *= 2) {");
    body_.open("for (int step = width / 2; step > 0; step /= 2) {");
    body_.open("for (int pair = threadIdx.x; pair < size / 2; pair += blockDim.x) {");
    body_.line("const int low = 2 * step * (pair / step) + pair % step;");
    body_.line("const int high = low + step;");
    body_.line("const " + key + " a = keys[low];");
    body_.line("const " + key + " b = keys[high];");
    body_.line("const int at_a = places[low];");
    body_.line("const int at_b = places[high];");
    body_.line("const bool first = at_a < " + length + " && (at_b >= " + length + " || " + before_ +
               "::of(a, at_a, b, at_b));");
    body_.open("if (first != ((low & width) == 0)) {");
    body_.line("keys[low] = b;");
    body_.line("keys[high] = a;");
    body_.line("places[low] = at_b;");
    body_.line("places[high] = at_a;");
    evaluator_.close(body_);
    evaluator_.close(body_);
    body_.line("__syncthreads();");
    evaluator_.close(body_);
    evaluator_.close(body_);
    body_.open("for (I col = threadIdx.x; col < " + kernel_.size(count_) +
               "; col += blockDim.x) {");
    write_sinks("(int64_t)places[col]");
    evaluator_.close(body_);
  }

  // Each step finds the first of those that stand after the last one found.
  void choose_one_by_one() {
    const std::string length = kernel_.size(length_);
    body_.line("__shared__ " + type_ + " keys[" + std::to_string(kThreads) + "];");
    body_.line("__shared__ int64_t places[" + std::to_string(kThreads) + "];");
    body_.line(type_ + " last = 0;");
    body_.line("int64_t last_at = -1;");
    body_.open("for (I col = 0; col < " + kernel_.size(count_) + "; ++col) {");
    body_.line(type_ + " best = 0;");
    body_.line("int64_t best_at = -1;");
    body_.open("for (I at = threadIdx.x; at < " + length + "; at += blockDim.x) {");
    body_.line("const " + type_ +
               " key = " + evaluator_.value(program_[order_].inputs[0], source_, body_) + ";");
    body_.line("const bool left = last_at < 0 || " + before_ +
               "::of(last, last_at, key, (int64_t)at);");
    body_.open("if (left && (best_at < 0 || " + before_ +
               "::of(key, (int64_t)at, best, best_at))) {");
    body_.line("best = key;");
    body_.line("best_at = at;");
    evaluator_.close(body_);
    evaluator_.close(body_);
    body_.line("keys[threadIdx.x] = best;");
    body_.line("places[threadIdx.x] = best_at;");
    body_.line("__syncthreads();");
    body_.open("for (int half = blockDim.x / 2; half > 0; half /= 2) {");
    body_.open("if ((int)threadIdx.x < half && places[threadIdx.x + half] >= 0 &&");
    body_.line("  (places[threadIdx.x] < 0 ||");
    body_.line("   " + before_ + "::of(keys[threadIdx.x + half], places[threadIdx.x + half],");
    body_.line("       keys[threadIdx.x], places[threadIdx.x]))) {");
    body_.line("keys[threadIdx.x] = keys[threadIdx.x + half];");
    body_.line("places[threadIdx.x] = places[threadIdx.x + half];");
    evaluator_.close(body_);
    body_.line("__syncthreads();");
    evaluator_.close(body_);
    body_.line("last = keys[0];");
    body_.line("last_at = places[0];");
    body_.line("__syncthreads();");
    body_.open("if (threadIdx.x == 0) {");
    write_sinks("last_at");
    evaluator_.close(body_);
    evaluator_.close(body_);
  }

  void write_sinks(const std::string& place) {
    evaluator_.set_local(order_, place);
    for (const Sink& sink : group_.sinks) evaluator_.store(sink, body_);
  }

  const Program& program_;
  const Schedule& schedule_;
  const Group& group_;
  int order_;
  Kernel kernel_;
  Emitted& emitted_;
  Evaluator evaluator_;
  Size rows_, count_, length_;
  Indices source_;
  std::string type_, before_;
  Body body_;
};

}  // namespace

void emit_sort(const Program& program, const Schedule& schedule, const Group& group,
               const std::string& name, Emitted& emitted) {
  SortKernel(program, schedule, group, name, emitted).write();
}

}  // namespace kvgen::builtin
