#include <algorithm>
#include <array>

#include "kvgen/plan/plan.h"
#include "plan/suggest.h"
#include "plan/text.h"
#include "plan/value_reader.h"

namespace kvgen {
namespace {

constexpr std::array<std::pair<ScalarKind, std::string_view>, 9> kScalarKinds = {{
    {ScalarKind::kBool, "bool"},
    {ScalarKind::kI32, "i32"},
    {ScalarKind::kU32, "u32"},
    {ScalarKind::kI64, "i64"},
    {ScalarKind::kU64, "u64"},
    {ScalarKind::kF16, "f16"},
    {ScalarKind::kBF16, "bf16"},
    {ScalarKind::kF32, "f32"},
    {ScalarKind::kF64, "f64"},
}};

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (int i = 0; i <= static_cast<int>(DType::kFloat8E5M2Fnuz); ++i) {
    names.emplace_back(to_string(static_cast<DType>(i)));
  }
  return names;
}

bool plausible_kernel_name(std::string_view name) {
  constexpr std::string_view kOther = "_:<>,*& ()+-/%.'";
  if (name.empty() || name.size() > PlanLimits::kKernelName) return false;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!letter(name[0]) && name[0] != '_' && name[0] != ':') return false;
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return letter(c) || (c >= '0' && c <= '9') || kOther.find(c) != std::string_view::npos;
  });
}

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

// Reads the document and its steps.
class Reader : ValueReader {
 public:
  Checked<Plan> read(const Json& document) {
    if (!document.is_object()) return bad_plan({"", "the plan is not an object", ""});
    keys(document, "", {"plan", "let", "buffers", "prepare", "run"});
    const auto version = document.find("plan");
    if (version == document.end()) {
      fail("plan", "is missing: a launch plan starts with \"plan\": 1");
    } else if (*version != Json(1)) {
      fail("plan", "is " + to_line(*version).substr(0, 40) + "; version 1 is known");
    }
    plan_.normalised = {{"plan", 1}};
    read_lets(document);
    read_buffers(document);
    if (document.contains("prepare")) {
      plan_.normalised["prepare"] = steps(document["prepare"], "prepare", plan_.prepare, true);
    }
    if (!document.contains("run")) {
      fail("run", "is missing: the list of steps");
    } else {
      plan_.normalised["run"] = steps(document["run"], "run", plan_.run, false);
    }
    if (fault_) return bad_plan(*fault_);
    return std::move(plan_);
  }

 private:
  void read_lets(const Json& document) {
    if (!document.contains("let")) return;
    const Json& lets = document["let"];
    if (!lets.is_object()) return fail("let", "must be an object of names and expressions");
    Json& out = plan_.normalised["let"] = Json::object();
    for (const auto& [name, value] : lets.items()) {
      const std::string place = "let." + name;
      declare(name, place);
      plan_.lets.push_back({name, expression(value, place)});
      out[name] = canonical(plan_.lets.back().value);
    }
  }

  void read_buffers(const Json& document) {
    if (!document.contains("buffers")) return;
    const Json& buffers = document["buffers"];
    if (!buffers.is_object()) return fail("buffers", "must be an object of names and buffers");
    Json& out = plan_.normalised["buffers"] = Json::object();
    for (const auto& [name, value] : buffers.items()) {
      const std::string place = "buffers." + name;
      declare(name, place);
      if (!value.is_object()) return fail(place, "must be an object with dtype and shape");
      keys(value, place, {"dtype", "shape", "keep"});
      PlanBuffer buffer;
      buffer.name = name;
      buffer.dtype = dtype(value, place);
      Json shape;
      if (!value.contains("shape")) {
        fail(place, "has no shape");
      } else {
        buffer.shape =
            expressions(value["shape"], place + ".shape", 0, PlanLimits::kDimensions, shape);
      }
      if (value.contains("keep")) {
        if (!value["keep"].is_boolean()) return fail(place + ".keep", "must be true or false");
        buffer.keep = value["keep"].get<bool>();
      }
      out[name] = {{"dtype", to_string(buffer.dtype)}, {"shape", shape}};
      if (buffer.keep) out[name]["keep"] = true;
      plan_.buffers.push_back(std::move(buffer));
    }
  }

  DType dtype(const Json& buffer, const std::string& place) {
    if (!buffer.contains("dtype") || !buffer["dtype"].is_string()) {
      fail(place, "has no dtype");
      return DType::kFloat32;
    }
    const auto name = buffer["dtype"].get<std::string>();
    const auto found = dtype_from(name);
    if (!found) {
      fail(place + ".dtype", "unknown dtype " + quote(name.substr(0, 64)),
           nearest(name, dtype_names()));
    }
    return found.value_or(DType::kFloat32);
  }

  // ---- steps ----

  Json steps(const Json& list, const std::string& place, std::vector<PlanStep>& out,
             bool may_be_empty) {
    Json normal = Json::array();
    if (!list.is_array() || (list.empty() && !may_be_empty)) {
      fail(place, list.is_array() ? "has no steps" : "must be a list of steps");
      return normal;
    }
    for (std::size_t i = 0; i < list.size() && !fault_; ++i) {
      if (++steps_ > PlanLimits::kSteps) {
        fail(place, "more than " + std::to_string(PlanLimits::kSteps) + " steps are written");
        return normal;
      }
      PlanStep step;
      step.place = at_index(place, i);
      normal.push_back(read_step(list[i], step));
      out.push_back(std::move(step));
    }
    return normal;
  }

  Json read_step(const Json& json, PlanStep& step) {
    Json out = Json::object();
    if (!json.is_object()) {
      fail(step.place, "must be an object");
      return out;
    }
    if (json.contains("kernel")) {
      step.what = launch(json, step.place, out);
    } else if (json.contains("fill")) {
      step.what = fill(json, step.place, out);
    } else if (json.contains("copy")) {
      step.what = copy(json, step.place, out);
    } else if (json.contains("repeat")) {
      step.what = repeat(json, step.place, out);
    } else {
      std::string near;
      for (const auto& [key, value] : json.items()) {
        if (near.empty()) near = nearest(key, {"kernel", "fill", "copy", "repeat"});
      }
      fail(step.place, "is no step: one of kernel, fill, copy, repeat is needed", near);
    }
    if (json.contains("when")) {
      step.when = expression(json["when"], step.place + ".when");
      out["when"] = canonical(*step.when);
    }
    return out;
  }

  PlanLaunch launch(const Json& json, const std::string& place, Json& out) {
    keys(json, place, {"kernel", "grid", "block", "shared", "args", "when"});
    PlanLaunch launch;
    if (json["kernel"].is_string()) launch.kernel = trimmed(json["kernel"].get<std::string>());
    if (!plausible_kernel_name(launch.kernel)) {
      fail(place + ".kernel", "must be a kernel's C++ name, such as scan<float, 4>, of at most " +
                                  std::to_string(PlanLimits::kKernelName) + " characters");
    }
    out["kernel"] = launch.kernel;
    for (const char* key : {"grid", "block"}) {
      auto& extents = std::string_view(key) == "grid" ? launch.grid : launch.block;
      if (!json.contains(key)) {
        fail(place, std::string("has no ") + key);
      } else {
        extents = expressions(json[key], inside(place, key), 1, 3, out[key]);
      }
    }
    if (json.contains("shared")) {
      launch.shared = expression(json["shared"], place + ".shared");
      out["shared"] = canonical(*launch.shared);
    }
    out["args"] = Json::array();
    if (!json.contains("args") || !json["args"].is_array()) {
      fail(place, json.contains("args") ? "args must be a list" : "has no args");
      return launch;
    }
    const Json& list = json["args"];
    if (list.size() > static_cast<std::size_t>(PlanLimits::kArguments)) {
      fail(place + ".args", "more than " + std::to_string(PlanLimits::kArguments) + " arguments");
      return launch;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
      Json normal;
      launch.arguments.push_back(argument(list[i], at_index(place + ".args", i), normal));
      out["args"].push_back(std::move(normal));
    }
    return launch;
  }

  PlanArgument argument(const Json& json, const std::string& place, Json& out) {
    if (!json.is_object()) {
      PlanScalar scalar{std::nullopt, expression(json, place)};
      out = canonical(scalar.value);
      return scalar;
    }
    if (json.contains("at")) return tensor_place(json, place, out);
    if (json.contains("pick")) return pick(json, place, out);
    std::vector<std::string> known = {"at", "pick"};
    for (const auto& [kind, name] : kScalarKinds) {
      known.emplace_back(name);
      const std::string key(name);
      if (!json.contains(key)) continue;
      if (json.size() > 1) fail(place, "has more than one key: a number has one kind");
      PlanScalar scalar{kind, expression(json[key], inside(place, key))};
      out = {{key, canonical(scalar.value)}};
      return scalar;
    }
    keys(json, place, known);
    fail(place,
         "is no argument: a name, a number, {\"i32\": ...}, {\"at\": ...} or {\"pick\": ...}");
    return PlanScalar{std::nullopt, literal(std::int64_t{0})};
  }

  // A tensor's name, or {"at": name, "offset": expression}.
  PlanPlace tensor_place(const Json& json, const std::string& place, Json& out) {
    PlanPlace result;
    if (json.is_string()) {
      result.tensor = json.get<std::string>();
    } else if (json.is_object() && json.contains("at") && json["at"].is_string()) {
      keys(json, place, {"at", "offset"});
      result.tensor = json["at"].get<std::string>();
      if (!json.contains("offset")) {
        fail(place, "has no offset");
      } else {
        result.offset = expression(json["offset"], place + ".offset");
      }
    } else {
      fail(place, "must be a tensor's name or {\"at\": name, \"offset\": expression}");
      return result;
    }
    if (!is_plan_name(result.tensor)) {
      fail(place, quote(result.tensor.substr(0, 64)) + " is not a name");
    }
    out = result.tensor;
    if (result.offset) out = {{"at", result.tensor}, {"offset", canonical(*result.offset)}};
    return result;
  }

  PlanPick pick(const Json& json, const std::string& place, Json& out) {
    keys(json, place, {"pick", "of"});
    PlanPick pick;
    pick.pick = expression(json["pick"], place + ".pick");
    out = {{"pick", canonical(pick.pick)}, {"of", Json::array()}};
    const bool listed = json.contains("of") && json["of"].is_array() && !json["of"].empty() &&
                        json["of"].size() <= static_cast<std::size_t>(PlanLimits::kPicks);
    if (!listed) {
      fail(place + ".of",
           "must be a list of 1 to " + std::to_string(PlanLimits::kPicks) + " tensors");
      return pick;
    }
    for (std::size_t i = 0; i < json["of"].size(); ++i) {
      Json normal;
      pick.of.push_back(tensor_place(json["of"][i], at_index(place + ".of", i), normal));
      out["of"].push_back(std::move(normal));
    }
    return pick;
  }

  PlanFill fill(const Json& json, const std::string& place, Json& out) {
    keys(json, place, {"fill", "value", "when"});
    PlanFill fill;
    fill.to = tensor_place(json["fill"], place + ".fill", out["fill"]);
    if (!json.contains("value")) {
      fail(place, "has no value");
      return fill;
    }
    const Json& value = json["value"];
    if (value == Json("inf") || value == Json("-inf")) {
      const double infinity = std::numeric_limits<double>::infinity();
      fill.value = value == Json("inf") ? infinity : -infinity;
      out["value"] = value;
      return fill;
    }
    if (value == Json("nan") || value == Json("NaN"))
      fail(place + ".value", "NaN is no fill value");
    Expression parsed = expression(value, place + ".value");
    out["value"] = canonical(parsed);
    fill.value = std::move(parsed);
    return fill;
  }

  PlanCopy copy(const Json& json, const std::string& place, Json& out) {
    keys(json, place, {"copy", "to", "count", "when"});
    PlanCopy copy;
    copy.from = tensor_place(json["copy"], place + ".copy", out["copy"]);
    if (!json.contains("to")) {
      fail(place, "has no \"to\"");
      return copy;
    }
    copy.to = tensor_place(json["to"], place + ".to", out["to"]);
    const bool partial = copy.from.offset.has_value() || copy.to.offset.has_value();
    if (json.contains("count") != partial) {
      fail(place, partial ? "copies from or to an offset and needs a count"
                          : "copies a whole tensor: count goes with {\"at\": ...}");
    }
    if (json.contains("count")) {
      copy.count = expression(json["count"], place + ".count");
      out["count"] = canonical(*copy.count);
    }
    return copy;
  }

  PlanRepeat repeat(const Json& json, const std::string& place, Json& out) {
    keys(json, place, {"repeat", "as", "do", "when"});
    PlanRepeat repeat;
    repeat.count = expression(json["repeat"], place + ".repeat");
    out["repeat"] = canonical(repeat.count);
    bool fresh = false;
    if (json.contains("as")) {
      if (!json["as"].is_string()) fail(place + ".as", "must be a name");
      if (json["as"].is_string()) repeat.as = json["as"].get<std::string>();
      fresh = !declared_.contains(repeat.as);
      declare(repeat.as, place + ".as");
      out["as"] = repeat.as;
    }
    if (++depth_ > PlanLimits::kRepeatDepth) {
      fail(place,
           "repeat is nested deeper than " + std::to_string(PlanLimits::kRepeatDepth) + " levels");
    } else if (!json.contains("do")) {
      fail(place, "has no \"do\"");
    } else {
      out["do"] = steps(json["do"], place + ".do", repeat.steps, false);
    }
    --depth_;
    // Visible in `do` only: a later repeat may use the name again.
    if (fresh) declared_.erase(repeat.as);
    return repeat;
  }

  int steps_ = 0;
  int depth_ = 0;
};

void collect(const std::vector<PlanStep>& steps, std::vector<std::string>& names) {
  for (const PlanStep& step : steps) {
    if (const auto* launch = std::get_if<PlanLaunch>(&step.what)) {
      if (std::find(names.begin(), names.end(), launch->kernel) == names.end()) {
        names.push_back(launch->kernel);
      }
    } else if (const auto* repeat = std::get_if<PlanRepeat>(&step.what)) {
      collect(repeat->steps, names);
    }
  }
}

}  // namespace

std::string_view to_string(ScalarKind kind) {
  for (const auto& [value, name] : kScalarKinds) {
    if (value == kind) return name;
  }
  return "";
}

bool is_floating(ScalarKind kind) {
  return kind == ScalarKind::kF16 || kind == ScalarKind::kBF16 || kind == ScalarKind::kF32 ||
         kind == ScalarKind::kF64;
}

Checked<Plan> parse_plan(std::string_view text) {
  const auto document = parse_json(text, {.bytes = PlanLimits::kTextBytes, .depth = 32});
  if (!document.ok()) return bad_plan({"", "the plan: " + document.error().message(), ""});
  return Reader().read(*document);
}

std::vector<std::string> kernels_of(const Plan& plan) {
  std::vector<std::string> names;
  collect(plan.prepare, names);
  collect(plan.run, names);
  return names;
}

}  // namespace kvgen
