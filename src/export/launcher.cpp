#include "export/launcher.h"

#include <algorithm>
#include <set>

namespace kvgen {
namespace {

using Element = KernelParameter::Element;

std::string format_of(DType dtype) {
  switch (dtype) {
    case DType::kFloat16:
      return "kFloat16";
    case DType::kBFloat16:
      return "kBFloat16";
    case DType::kFloat64:
      return "kFloat64";
    case DType::kFloat8E4M3:
      return "kFloat8E4M3";
    case DType::kFloat8E4M3Fnuz:
      return "kFloat8E4M3Fnuz";
    case DType::kFloat8E5M2:
      return "kFloat8E5M2";
    case DType::kFloat8E5M2Fnuz:
      return "kFloat8E5M2Fnuz";
    default:
      return "kFloat32";
  }
}

DType dtype_of(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kF16:
      return DType::kFloat16;
    case ScalarKind::kBF16:
      return DType::kBFloat16;
    case ScalarKind::kF64:
      return DType::kFloat64;
    default:
      return DType::kFloat32;
  }
}

struct IntegerType {
  int bits;
  bool is_signed;
};

IntegerType integer_type(ScalarKind kind) {
  switch (kind) {
    case ScalarKind::kBool:
      return {1, false};
    case ScalarKind::kU32:
      return {32, false};
    case ScalarKind::kI64:
      return {64, true};
    case ScalarKind::kU64:
      return {64, false};
    default:
      return {32, true};
  }
}

std::string text_of(const IntegerType& type) {
  return std::to_string(type.bits) + (type.is_signed ? ", true" : ", false");
}

bool is_fraction(const KernelParameter& parameter) {
  return parameter.element == Element::kFloating || parameter.element == Element::kBFloat16;
}

DType fraction_of(const KernelParameter& parameter) {
  if (parameter.element == Element::kBFloat16) return DType::kBFloat16;
  return parameter.element_bytes == 2   ? DType::kFloat16
         : parameter.element_bytes == 8 ? DType::kFloat64
                                        : DType::kFloat32;
}

class Launcher {
 public:
  Launcher(const Plan& plan, const Build& build, ExportNames& names)
      : plan_(plan), build_(build), names_(names), kernels_(kernels_of(plan)) {}

  std::string text() {
    for (const PlanLet& let : plan_.lets) define_let(let);
    for (const PlanBuffer& buffer : plan_.buffers) define_buffer(buffer);
    steps(plan_.prepare);
    steps(plan_.run);
    return std::move(out_);
  }

 private:
  void write(const std::string& line) {
    out_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + line + "\n";
  }
  [[nodiscard]] std::string whole(const Expression& expression) const {
    return expression_text(expression, false, names_);
  }

  // ---- lets and buffers: what an expression uses comes first ----

  void define_uses(const Expression& expression) {
    for (const Expression::Node& node : expression.nodes) {
      const auto* name = std::get_if<Expression::Name>(&node.what);
      if (name == nullptr) continue;
      for (const PlanLet& let : plan_.lets) {
        if (let.name == name->text) define_let(let);
      }
      for (const PlanBuffer& buffer : plan_.buffers) {
        if (buffer.name == name->text) define_buffer(buffer);
      }
    }
  }

  void define_let(const PlanLet& let) {
    if (!defined_.insert(let.name).second) return;
    define_uses(let.value);
    write("Let " + names_.variable(let.name) + "([&]() -> Number {");
    write("  return " + expression_text(let.value, names_.real_let(let.name), names_) + ";");
    write("});");
  }

  void define_buffer(const PlanBuffer& buffer) {
    if (!defined_.insert(buffer.name).second) return;
    std::string shape;
    for (const Expression& extent : buffer.shape) {
      define_uses(extent);
      shape += (shape.empty() ? "" : ", ") + whole(extent);
    }
    write("current_place = \"buffers." + buffer.name + "\";");
    write("const at::Tensor " + *names_.tensor(buffer.name) + " = made({" + shape + "}, " +
          scalar_type(buffer.dtype) + ", device);");
  }

  // ---- steps ----

  void steps(const std::vector<PlanStep>& list) {
    for (const PlanStep& step : list) {
      if (step.when) {
        write("current_place = \"" + step.place + ".when\";");
        write("if (truth(" + whole(*step.when) + ")) {");
        ++depth_;
      }
      write("current_place = \"" + step.place + "\";");
      if (const auto* repeat = std::get_if<PlanRepeat>(&step.what)) {
        expand(*repeat);
      } else if (const auto* launch = std::get_if<PlanLaunch>(&step.what)) {
        write_launch(*launch);
      } else if (const auto* fill = std::get_if<PlanFill>(&step.what)) {
        write_fill(*fill);
      } else {
        write_copy(std::get<PlanCopy>(step.what));
      }
      if (step.when) {
        --depth_;
        write("}");
      }
    }
  }

  void expand(const PlanRepeat& repeat) {
    const std::string times = "times_" + std::to_string(++loops_);
    const std::string turn = "turn_" + std::to_string(loops_);
    write("const std::int64_t " + times + " = whole(" + whole(repeat.count) + ");");
    write("if (" + times + " < 0) fail(\"a negative number of repeats\");");
    write("for (std::int64_t " + turn + " = 0; " + turn + " < " + times + "; ++" + turn + ") {");
    ++depth_;
    if (!repeat.as.empty()) {
      names_.add_counter(repeat.as);
      write("[[maybe_unused]] const Number " + names_.variable(repeat.as) + "(" + turn + ");");
    }
    steps(repeat.steps);
    --depth_;
    write("}");
  }

  [[nodiscard]] std::string place(const PlanPlace& wanted) const {
    const std::string tensor = names_.tensor(wanted.tensor).value_or("?");
    if (!wanted.offset) return "place_of(" + tensor + ")";
    return "place_of(" + tensor + ", " + whole(*wanted.offset) + ")";
  }

  static std::int64_t alignment(const KernelParameter& parameter) {
    if (parameter.components != 2 && parameter.components != 4) return 1;
    return std::min(parameter.element_bytes * parameter.components, 16);
  }

  [[nodiscard]] std::string argument(const PlanArgument& argument,
                                     const KernelParameter& parameter) const {
    const std::string aligned = ", " + std::to_string(alignment(parameter)) + ")";
    if (const auto* tensor = std::get_if<PlanPlace>(&argument)) {
      return "pointer(" + place(*tensor) + aligned;
    }
    if (const auto* pick = std::get_if<PlanPick>(&argument)) {
      std::string list;
      for (const PlanPlace& one : pick->of) {
        list += (list.empty() ? "" : ", ") + std::string("[&] { return ") + place(one) + "; }";
      }
      return "pointer(pick(" + whole(pick->pick) + ", {" + list + "})" + aligned;
    }
    const auto& scalar = std::get<PlanScalar>(argument);
    const std::string name(scalar.value.lone_name());
    if (!scalar.kind && names_.tensor(name)) {
      return "pointer(place_of(" + *names_.tensor(name) + ")" + aligned;
    }
    return "scalar(" + bits(scalar, parameter) + ")";
  }

  [[nodiscard]] std::string bits(const PlanScalar& scalar, const KernelParameter& parameter) const {
    const bool fraction = is_fraction(parameter);
    const bool real = scalar.kind ? is_floating(*scalar.kind) : fraction;
    std::string value = expression_text(scalar.value, real, names_);
    if (real) {
      if (scalar.kind) value = "rounded(" + value + ", " + format_of(dtype_of(*scalar.kind)) + ")";
      return "real_bits(" + value + ", " + format_of(fraction_of(parameter)) + ")";
    }
    if (scalar.kind) value = "fitting(" + value + ", " + text_of(integer_type(*scalar.kind)) + ")";
    if (fraction) return "exact_bits(" + value + ", " + format_of(fraction_of(parameter)) + ")";
    const IntegerType type =
        parameter.element == Element::kBool
            ? IntegerType{1, false}
            : IntegerType{8 * parameter.element_bytes, parameter.element == Element::kSigned};
    return "integer_bits(" + value + ", " + text_of(type) + ")";
  }

  void write_launch(const PlanLaunch& launch) {
    const KernelInfo* kernel = build_.kernel(launch.kernel);
    const auto index = std::find(kernels_.begin(), kernels_.end(), launch.kernel);
    const auto extents = [&](const std::vector<Expression>& list) {
      std::string text;
      for (const Expression& one : list) text += (text.empty() ? "" : ", ") + whole(one);
      return "{" + text + "}";
    };
    std::string name = launch.kernel;
    std::replace(name.begin(), name.end(), '\n', ' ');
    write("launch(kvgen_kernels[" + std::to_string(index - kernels_.begin()) + "],  // " + name);
    write("       " + extents(launch.grid) + ", " + extents(launch.block) + ",");
    write("       " + (launch.shared ? whole(*launch.shared) : "Number(INT64_C(0))") + ",");
    write("       {");
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (kernel == nullptr || i >= kernel->parameters.size()) continue;
      write("           " + argument(launch.arguments[i], kernel->parameters[i]) + ",");
    }
    write("       },");
    write("       stream);");
  }

  void write_fill(const PlanFill& fill) {
    const DType dtype = names_.dtype(fill.to.tensor);
    std::string bits;
    if (const auto* infinity = std::get_if<double>(&fill.value)) {
      bits = std::string("real_bits(Number(") + (*infinity < 0 ? "-" : "") +
             "std::numeric_limits<double>::infinity()), " + format_of(dtype) + ")";
    } else {
      const auto& value = std::get<Expression>(fill.value);
      bits =
          is_floating(dtype)
              ? "real_bits(" + expression_text(value, true, names_) + ", " + format_of(dtype) + ")"
              : "integer_bits(" + whole(value) + ", " +
                    text_of({dtype == DType::kBool ? 1 : 8 * size_of(dtype), is_signed(dtype)}) +
                    ")";
    }
    write("fill(" + place(fill.to) + ", " + bits + ");");
  }

  void write_copy(const PlanCopy& copy) {
    write("copy(" + place(copy.from) + ", " + place(copy.to) +
          (copy.count ? ", " + whole(*copy.count) : "") + ");");
  }

  const Plan& plan_;
  const Build& build_;
  ExportNames& names_;
  std::vector<std::string> kernels_;
  std::set<std::string> defined_;
  std::string out_;
  int depth_ = 1;
  int loops_ = 0;
};

}  // namespace

std::string scalar_type(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "at::kBool";
    case DType::kInt8:
      return "at::kChar";
    case DType::kUInt8:
      return "at::kByte";
    case DType::kInt16:
      return "at::kShort";
    case DType::kUInt16:
      return "at::kUInt16";
    case DType::kInt32:
      return "at::kInt";
    case DType::kUInt32:
      return "at::kUInt32";
    case DType::kInt64:
      return "at::kLong";
    case DType::kUInt64:
      return "at::kUInt64";
    case DType::kFloat16:
      return "at::kHalf";
    case DType::kBFloat16:
      return "at::kBFloat16";
    case DType::kFloat32:
      return "at::kFloat";
    case DType::kFloat64:
      return "at::kDouble";
    case DType::kFloat8E4M3:
      return "at::kFloat8_e4m3fn";
    case DType::kFloat8E4M3Fnuz:
      return "at::kFloat8_e4m3fnuz";
    case DType::kFloat8E5M2:
      return "at::kFloat8_e5m2";
    case DType::kFloat8E5M2Fnuz:
      return "at::kFloat8_e5m2fnuz";
  }
  return "at::kFloat";
}

std::string launcher_text(const Plan& plan, const Variant&, const Build& build,
                          ExportNames& names) {
  return Launcher(plan, build, names).text();
}

}  // namespace kvgen
