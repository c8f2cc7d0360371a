#include "kvgen/plan/resolved.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kvgen {
namespace {

using Space = ResolvedPlace::Space;

constexpr std::array<std::pair<Space, std::string_view>, 3> kSpaces = {{
    {Space::kInput, "input"},
    {Space::kOutput, "output"},
    {Space::kBuffer, "buffer"},
}};

// What no device exceeds; the plan room applies the tighter limits of each device.
constexpr std::int64_t kLargestBytes = 1LL << 40;
constexpr std::int64_t kLargestLds = 1LL << 20;
constexpr std::size_t kMostBuffers = 256;
constexpr std::size_t kMostSteps = 131'072;
constexpr std::size_t kMostArguments = 256;
constexpr std::size_t kLongestText = 4096;
constexpr int kMostTensors = 4096;

Json place_json(const ResolvedPlace& place) {
  for (const auto& [space, name] : kSpaces) {
    if (space != place.space) continue;
    Json json = {{std::string(name), place.index}};
    if (place.byte_offset != 0) json["offset"] = place.byte_offset;
    return json;
  }
  return Json::object();
}

Json launch_json(const ResolvedLaunch& launch) {
  Json arguments = Json::array();
  for (const ResolvedArgument& argument : launch.arguments) {
    if (const auto* place = std::get_if<ResolvedPlace>(&argument)) {
      arguments.push_back(place_json(*place));
    } else {
      const auto& scalar = std::get<ResolvedScalar>(argument);
      arguments.push_back({{"bytes", scalar.bytes}, {"bits", scalar.bits}});
    }
  }
  return {{"symbol", launch.symbol},
          {"name", launch.name},
          {"grid", launch.grid},
          {"block", launch.block},
          {"dynamic_lds", launch.dynamic_lds},
          {"arguments", std::move(arguments)}};
}

Json steps_json(const std::vector<ResolvedStep>& steps) {
  Json list = Json::array();
  for (const ResolvedStep& step : steps) {
    Json json = {{"place", step.place}};
    if (const auto* launch = std::get_if<ResolvedLaunch>(&step.what)) {
      json["launch"] = launch_json(*launch);
    } else if (const auto* fill = std::get_if<ResolvedFill>(&step.what)) {
      json["fill"] = {{"to", place_json(fill->to)},
                      {"bytes", fill->bytes},
                      {"element_bytes", fill->element_bytes},
                      {"bits", fill->bits}};
    } else {
      const auto& copy = std::get<ResolvedCopy>(step.what);
      json["copy"] = {
          {"from", place_json(copy.from)}, {"to", place_json(copy.to)}, {"bytes", copy.bytes}};
    }
    list.push_back(std::move(json));
  }
  return list;
}

bool in_range(std::int64_t value, std::int64_t low, std::int64_t high) {
  return low <= value && value <= high;
}

bool power_of_two_bytes(int bytes) { return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8; }

bool fits(std::uint64_t bits, int bytes) { return bytes == 8 || (bits >> (8 * bytes)) == 0; }

std::string read_text(Fields& fields, std::string_view key) {
  auto text = fields.get<std::string>(key);
  const bool odd = text.size() > kLongestText || text.find('\0') != std::string::npos;
  if (odd) fields.fail(key, "is too long or holds a NUL");
  return text;
}

class Reader {
 public:
  explicit Reader(const std::vector<ResolvedBuffer>& buffers) : buffers_(buffers) {}

  Result<std::vector<ResolvedStep>> steps(const Json& list, const std::string& where) const {
    if (list.size() > kMostSteps) return Error(Code::kInvalid, where + " has too many steps");
    std::vector<ResolvedStep> steps;
    steps.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
      TRY(ResolvedStep one, step(list[i], where + "[" + std::to_string(i) + "]"));
      steps.push_back(std::move(one));
    }
    return steps;
  }

 private:
  // A place that at least `bytes` bytes follow, as far as it can be known here.
  Result<ResolvedPlace> place(const Json& json, const std::string& where,
                              std::int64_t bytes) const {
    Fields fields(json, where);
    ResolvedPlace place;
    int named = 0;
    for (const auto& [space, name] : kSpaces) {
      if (!fields.has(name)) continue;
      ++named;
      place.space = space;
      place.index = fields.get<int>(name);
    }
    place.byte_offset = fields.get_or<std::int64_t>("offset", 0);
    TRY_VOID(fields.finish());
    if (named != 1) return Error(Code::kInvalid, where + " must name one of input, output, buffer");

    const bool buffer = place.space == Space::kBuffer;
    const int most = buffer ? static_cast<int>(buffers_.size()) : kMostTensors;
    if (!in_range(place.index, 0, most - 1)) {
      return Error(Code::kInvalid, where + " has an index out of range");
    }
    const std::int64_t end =
        buffer ? buffers_[static_cast<std::size_t>(place.index)].bytes : kLargestBytes;
    if (!in_range(place.byte_offset, 0, end) || bytes > end - place.byte_offset) {
      return Error(Code::kInvalid, where + " goes beyond its tensor");
    }
    return place;
  }

  Result<ResolvedArgument> argument(const Json& json, const std::string& where) const {
    if (!json.is_object() || !json.contains("bits")) {
      TRY(ResolvedPlace tensor, place(json, where, 0));
      return ResolvedArgument(tensor);
    }
    Fields fields(json, where);
    ResolvedScalar scalar;
    scalar.bytes = fields.get<int>("bytes");
    scalar.bits = fields.get<std::uint64_t>("bits");
    TRY_VOID(fields.finish());
    if (!power_of_two_bytes(scalar.bytes) || !fits(scalar.bits, scalar.bytes)) {
      return Error(Code::kInvalid, where + " is no scalar of 1, 2, 4 or 8 bytes");
    }
    return ResolvedArgument(scalar);
  }

  Result<ResolvedLaunch> launch(const Json& json, const std::string& where) const {
    Fields fields(json, where);
    ResolvedLaunch launch;
    launch.symbol = read_text(fields, "symbol");
    launch.name = read_text(fields, "name");
    const auto grid = fields.get<std::vector<std::int64_t>>("grid");
    const auto block = fields.get<std::vector<std::int64_t>>("block");
    launch.dynamic_lds = fields.get<std::int64_t>("dynamic_lds");
    const Json& arguments = fields.array("arguments");
    if (launch.symbol.empty()) fields.fail("symbol", "is empty");
    if (grid.size() != 3 || block.size() != 3) fields.fail("grid", "and block need 3 extents");
    if (!in_range(launch.dynamic_lds, 0, kLargestLds))
      fields.fail("dynamic_lds", "is out of range");
    if (arguments.size() > kMostArguments) fields.fail("arguments", "are too many");
    TRY_VOID(fields.finish());

    std::int64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      const std::int64_t most_blocks = i == 0 ? 0x7fff'ffff : 65'535;
      if (!in_range(grid[i], 1, most_blocks) || !in_range(block[i], 1, 1024) ||
          grid[i] * block[i] > 0xffff'ffff) {
        return Error(Code::kInvalid, where + " has a grid or block out of range");
      }
      launch.grid[i] = grid[i];
      launch.block[i] = block[i];
      threads *= block[i];
    }
    if (threads > 1024) return Error(Code::kInvalid, where + " has more than 1024 threads a block");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      TRY(ResolvedArgument one,
          argument(arguments[i], where + ".arguments[" + std::to_string(i) + "]"));
      launch.arguments.push_back(one);
    }
    return launch;
  }

  Result<ResolvedFill> fill(const Json& json, const std::string& where) const {
    Fields fields(json, where);
    const Json to = fields.get<Json>("to");
    ResolvedFill fill;
    fill.bytes = fields.get<std::int64_t>("bytes");
    fill.element_bytes = fields.get<int>("element_bytes");
    fill.bits = fields.get<std::uint64_t>("bits");
    TRY_VOID(fields.finish());
    if (!power_of_two_bytes(fill.element_bytes) || !fits(fill.bits, fill.element_bytes) ||
        !in_range(fill.bytes, 0, kLargestBytes) || fill.bytes % fill.element_bytes != 0) {
      return Error(Code::kInvalid, where + " has bytes, element_bytes or bits out of range");
    }
    TRY(fill.to, place(to, where + ".to", fill.bytes));
    if (fill.to.space == Space::kInput) {
      return Error(Code::kInvalid, where + ".to writes to an input");
    }
    return fill;
  }

  Result<ResolvedCopy> copy(const Json& json, const std::string& where) const {
    Fields fields(json, where);
    const Json from = fields.get<Json>("from");
    const Json to = fields.get<Json>("to");
    ResolvedCopy copy;
    copy.bytes = fields.get<std::int64_t>("bytes");
    TRY_VOID(fields.finish());
    if (!in_range(copy.bytes, 0, kLargestBytes)) {
      return Error(Code::kInvalid, where + ".bytes is out of range");
    }
    TRY(copy.from, place(from, where + ".from", copy.bytes));
    TRY(copy.to, place(to, where + ".to", copy.bytes));
    if (copy.to.space == Space::kInput) {
      return Error(Code::kInvalid, where + ".to writes to an input");
    }
    return copy;
  }

  Result<ResolvedStep> step(const Json& json, const std::string& where) const {
    Fields fields(json, where);
    ResolvedStep step;
    step.place = read_text(fields, "place");
    const auto launched = fields.maybe<Json>("launch");
    const auto filled = fields.maybe<Json>("fill");
    const auto copied = fields.maybe<Json>("copy");
    TRY_VOID(fields.finish());
    if (launched.has_value() + filled.has_value() + copied.has_value() != 1) {
      return Error(Code::kInvalid, where + " must have one of launch, fill, copy");
    }
    if (launched) {
      TRY(step.what, launch(*launched, where + ".launch"));
    } else if (filled) {
      TRY(step.what, fill(*filled, where + ".fill"));
    } else {
      TRY(step.what, copy(*copied, where + ".copy"));
    }
    return step;
  }

  const std::vector<ResolvedBuffer>& buffers_;
};

Result<ResolvedBuffer> buffer_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  ResolvedBuffer buffer;
  buffer.name = read_text(fields, "name");
  const auto dtype = dtype_from(fields.get<std::string>("dtype"));
  buffer.bytes = fields.get<std::int64_t>("bytes");
  buffer.keep = fields.get<bool>("keep");
  if (dtype) buffer.dtype = *dtype;
  if (!dtype) fields.fail("dtype", "is unknown");
  if (!in_range(buffer.bytes, 0, kLargestBytes)) fields.fail("bytes", "is out of range");
  TRY_VOID(fields.finish());
  return buffer;
}

}  // namespace

Json to_json(const ResolvedPlan& plan) {
  Json buffers = Json::array();
  for (const ResolvedBuffer& buffer : plan.buffers) {
    buffers.push_back({{"name", buffer.name},
                       {"dtype", to_string(buffer.dtype)},
                       {"bytes", buffer.bytes},
                       {"keep", buffer.keep}});
  }
  return {{"buffers", std::move(buffers)},
          {"prepare", steps_json(plan.prepare)},
          {"run", steps_json(plan.run)}};
}

Result<ResolvedPlan> resolved_plan_from(const Json& json, const std::string& where) {
  Fields fields(json, where);
  const Json& buffers = fields.array("buffers");
  const Json& prepare = fields.array("prepare");
  const Json& run = fields.array("run");
  if (buffers.size() > kMostBuffers) fields.fail("buffers", "are too many");
  TRY_VOID(fields.finish());

  ResolvedPlan plan;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    TRY(ResolvedBuffer buffer,
        buffer_from(buffers[i], where + ".buffers[" + std::to_string(i) + "]"));
    total += buffer.bytes;
    plan.buffers.push_back(std::move(buffer));
  }
  if (total > kLargestBytes) return Error(Code::kInvalid, where + ".buffers are too large");
  const Reader reader(plan.buffers);
  TRY(plan.prepare, reader.steps(prepare, where + ".prepare"));
  TRY(plan.run, reader.steps(run, where + ".run"));
  return plan;
}

namespace {

Result<void> within(const ResolvedPlace& place, std::int64_t bytes,
                    const std::vector<std::int64_t>& inputs,
                    const std::vector<std::int64_t>& outputs, const std::string& where) {
  if (place.space == Space::kBuffer) return ok();
  const auto& sizes = place.space == Space::kInput ? inputs : outputs;
  const auto index = static_cast<std::size_t>(place.index);
  if (index < sizes.size() && place.byte_offset <= sizes[index] &&
      bytes <= sizes[index] - place.byte_offset) {
    return ok();
  }
  return Error(Code::kInvalid, where + " names a place beyond the arenas");
}

}  // namespace

Result<void> check_within(const ResolvedPlan& plan, const std::vector<std::int64_t>& input_bytes,
                          const std::vector<std::int64_t>& output_bytes) {
  const auto check = [&](const ResolvedPlace& place, std::int64_t bytes, const std::string& where) {
    return within(place, bytes, input_bytes, output_bytes, where);
  };
  for (const auto* steps : {&plan.prepare, &plan.run}) {
    for (const ResolvedStep& step : *steps) {
      if (const auto* launch = std::get_if<ResolvedLaunch>(&step.what)) {
        for (const ResolvedArgument& argument : launch->arguments) {
          const auto* place = std::get_if<ResolvedPlace>(&argument);
          if (place != nullptr) TRY_VOID(check(*place, 0, step.place));
        }
      } else if (const auto* fill = std::get_if<ResolvedFill>(&step.what)) {
        TRY_VOID(check(fill->to, fill->bytes, step.place));
      } else {
        const auto& copy = std::get<ResolvedCopy>(step.what);
        TRY_VOID(check(copy.from, copy.bytes, step.place));
        TRY_VOID(check(copy.to, copy.bytes, step.place));
      }
    }
  }
  return ok();
}

}  // namespace kvgen
