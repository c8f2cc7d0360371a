#include "tests/plan/subject.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iomanip>
#include <map>
#include <sstream>

namespace kvgen::test {
namespace {

using Element = KernelParameter::Element;

struct CType {
  Element element;
  int bytes;
  int components = 1;
};

const std::map<std::string, CType>& c_types() {
  static const std::map<std::string, CType> kTypes = {
      {"bool", {Element::kBool, 1}},          {"unsigned char", {Element::kUnsigned, 1}},
      {"signed char", {Element::kSigned, 1}}, {"short", {Element::kSigned, 2}},
      {"int", {Element::kSigned, 4}},         {"unsigned", {Element::kUnsigned, 4}},
      {"long", {Element::kSigned, 8}},        {"long long", {Element::kSigned, 8}},
      {"size_t", {Element::kUnsigned, 8}},    {"float", {Element::kFloating, 4}},
      {"float2", {Element::kFloating, 4, 2}}, {"float4", {Element::kFloating, 4, 4}},
      {"double", {Element::kFloating, 8}},    {"__half", {Element::kFloating, 2}},
      {"_Float16", {Element::kFloating, 2}},  {"__hip_bfloat16", {Element::kBFloat16, 2}},
      {"void", {Element::kOpaque, 1}},        {"char", {Element::kOpaque, 1}},
  };
  return kTypes;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(trimmed(part));
  return parts;
}

KernelParameter parameter(const std::string& text) {
  KernelParameter result;
  const auto space = text.rfind(' ');
  result.name = text.substr(space + 1);
  result.type = trimmed(text.substr(0, space));
  std::string base = result.type;
  result.form = KernelParameter::Form::kScalar;
  if (base.back() == '*') {
    result.form = KernelParameter::Form::kPointer;
    base = trimmed(base.substr(0, base.size() - 1));
  }
  if (base.rfind("const ", 0) == 0) {
    result.to_const = true;
    base = base.substr(6);
  }
  const CType& type = c_types().at(base);
  result.element = type.element;
  result.element_bytes = type.bytes;
  result.components = type.components;
  return result;
}

// kernel NAME(PARAMETERS) [static N] [bound N]
KernelInfo kernel(const std::string& text) {
  KernelInfo info;
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  info.expression = text.substr(0, open);
  info.symbol = "_Z_" + info.expression;
  for (const std::string& one : split(text.substr(open + 1, close - open - 1), ',')) {
    info.parameters.push_back(parameter(one));
  }
  std::istringstream rest(text.substr(close + 1));
  std::string word;
  int value = 0;
  while (rest >> word >> value) (word == "static" ? info.static_lds : info.launch_bound) = value;
  return info;
}

// ROLE NAME DTYPE EXTENT...
TensorSpec tensor(const std::string& line) {
  std::istringstream words(line);
  std::string role;
  std::string dtype;
  TensorSpec spec;
  words >> role >> spec.name >> dtype;
  for (std::int64_t extent = 0; words >> extent;) spec.shape.push_back(extent);
  const Json json = {{"name", spec.name}, {"role", role}, {"dtype", dtype}, {"shape", spec.shape}};
  return tensor_spec_from(json, line).value();
}

std::string place_text(const ResolvedPlace& place) {
  constexpr const char* kNames[] = {"input ", "output ", "buffer "};
  std::string text = kNames[static_cast<int>(place.space)] + std::to_string(place.index);
  if (place.byte_offset != 0) text += "+" + std::to_string(place.byte_offset);
  return text;
}

std::string bits_text(int bytes, std::uint64_t bits) {
  std::ostringstream text;
  text << bytes << ":0x" << std::hex << bits;
  return text.str();
}

std::string launch_text(const ResolvedLaunch& launch) {
  std::ostringstream text;
  text << launch.name << " grid " << launch.grid[0] << ' ' << launch.grid[1] << ' '
       << launch.grid[2] << " block " << launch.block[0] << ' ' << launch.block[1] << ' '
       << launch.block[2] << " lds " << launch.dynamic_lds << " (";
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    if (i > 0) text << ", ";
    if (const auto* place = std::get_if<ResolvedPlace>(&launch.arguments[i])) {
      text << place_text(*place);
    } else {
      const auto& scalar = std::get<ResolvedScalar>(launch.arguments[i]);
      text << bits_text(scalar.bytes, scalar.bits);
    }
  }
  return text.str() + ")";
}

std::string step_text(const ResolvedStep& step) {
  if (const auto* launch = std::get_if<ResolvedLaunch>(&step.what)) {
    return step.place + " " + launch_text(*launch);
  }
  if (const auto* fill = std::get_if<ResolvedFill>(&step.what)) {
    return step.place + " fill " + place_text(fill->to) + " bytes " + std::to_string(fill->bytes) +
           " with " + bits_text(fill->element_bytes, fill->bits);
  }
  const auto& copy = std::get<ResolvedCopy>(step.what);
  return step.place + " copy " + place_text(copy.from) + " to " + place_text(copy.to) + " bytes " +
         std::to_string(copy.bytes);
}

}  // namespace

Subject subject() {
  Subject result;
  result.variant.name = "tiny";
  result.build.target = "gfx942";
  std::ifstream file(std::string(KVGEN_SOURCE_DIR) + "/tests/plan/cases/subject.txt");
  for (std::string line; std::getline(file, line);) {
    const std::string word = line.substr(0, line.find(' '));
    if (word.empty() || word[0] == '#') continue;
    const std::string rest = line.substr(word.size() + 1);
    if (word == "kernel") {
      result.build.kernels.push_back(kernel(rest));
    } else if (word == "symbol") {
      const auto space = rest.find(' ');
      const Json value = Json::parse(rest.substr(space + 1));
      Symbol symbol;
      symbol.name = rest.substr(0, space);
      symbol.value = value.get<double>();
      if (value.is_number_integer()) symbol.value = value.get<std::int64_t>();
      result.variant.symbols.push_back(symbol);
    } else if (const TensorSpec spec = tensor(line); spec.written()) {
      result.variant.graph.outputs.push_back({{}, spec});
    } else {
      result.variant.graph.inputs.push_back({{}, spec});
    }
  }
  return result;
}

std::vector<Case> cases_in(const std::string& file) {
  const std::string path = std::string(KVGEN_SOURCE_DIR) + "/tests/plan/cases/" + file;
  std::ifstream stream(path);
  EXPECT_TRUE(stream.is_open()) << path;
  std::vector<Case> cases;
  Case open;
  int number = 0;
  const auto finish = [&] {
    if (!open.text.empty()) cases.push_back(open);
    open = {};
  };
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.empty()) {
      finish();
    } else if (line[0] == '#') {
      continue;
    } else if (line.rfind("=>", 0) == 0) {
      open.expected.push_back(trimmed(line.substr(2)));
    } else {
      if (open.text.empty()) open.name = file + ":" + std::to_string(number);
      open.text += line + "\n";
    }
  }
  finish();
  return cases;
}

std::vector<std::string> lines_of(const ResolvedPlan& plan) {
  std::vector<std::string> lines;
  for (const ResolvedBuffer& buffer : plan.buffers) {
    lines.push_back("buffer " + buffer.name + " bytes " + std::to_string(buffer.bytes) +
                    (buffer.keep ? " keep" : ""));
  }
  for (const ResolvedStep& step : plan.prepare) lines.push_back(step_text(step));
  for (const ResolvedStep& step : plan.run) lines.push_back(step_text(step));
  return lines;
}

}  // namespace kvgen::test
