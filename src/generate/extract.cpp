#include "kvgen/generate/extract.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kvgen {
namespace {

// A fenced block: its label in lower case, its lines without the fence's indent.
struct Block {
  std::string label;
  std::string text;
  bool closed = false;
};

struct Fence {
  char mark = '`';
  std::size_t length = 0;  // 0: no fence
  std::size_t indent = 0;
  std::string_view rest;  // behind the marks
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A line of at least three backticks or tildes, indented at will (lists).
Fence fence_of(std::string_view line) {
  Fence fence;
  fence.indent = std::min(line.find_first_not_of(' '), line.size());
  if (fence.indent == line.size()) return fence;
  fence.mark = line[fence.indent];
  if (fence.mark != '`' && fence.mark != '~') return fence;
  const std::size_t end = std::min(line.find_first_not_of(fence.mark, fence.indent), line.size());
  fence.rest = trimmed(line.substr(end));
  // Backticks after the marks: code in a line of prose.
  const bool prose = fence.mark == '`' && fence.rest.find('`') != std::string_view::npos;
  if (end - fence.indent >= 3 && !prose) fence.length = end - fence.indent;
  return fence;
}

std::string label_of(std::string_view rest) {
  std::string label(rest.substr(0, rest.find_first_of(" \t{,:")));
  for (char& c : label) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return label;
}

std::vector<Block> blocks_of(std::string_view text) {
  std::vector<Block> blocks;
  Fence open;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    const bool complete = end < text.size();
    text.remove_prefix(complete ? end + 1 : end);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);

    const Fence fence = fence_of(line);
    if (open.length == 0) {
      if (fence.length == 0) continue;
      open = fence;
      blocks.push_back({label_of(fence.rest), "", false});
    } else if (fence.length >= open.length && fence.mark == open.mark && fence.rest.empty()) {
      blocks.back().closed = true;
      open = {};
    } else {
      const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
      blocks.back().text += line.substr(std::min(indent, open.indent));
      if (complete) blocks.back().text += '\n';
    }
  }
  return blocks;
}

bool holds_kernel(const Block& block) { return block.text.find("__global__") != std::string::npos; }

bool is_code(const Block& block) {
  constexpr std::string_view kLabels[] = {"hip", "cpp", "c++", "cuda"};
  return std::find(std::begin(kLabels), std::end(kLabels), block.label) != std::end(kLabels) ||
         (block.label != "json" && holds_kernel(block));
}

bool is_json(const Block& block) { return block.label == "json"; }

bool valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const int more = lead < 0x80                   ? 0
                     : lead >= 0xc2 && lead < 0xe0 ? 1
                     : lead >= 0xe0 && lead < 0xf0 ? 2
                     : lead >= 0xf0 && lead < 0xf5 ? 3
                                                   : -1;
    if (more < 0 || i + static_cast<std::size_t>(more) >= text.size()) return false;
    for (int k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      // Overlong forms, surrogates and values beyond U+10FFFF show in the second byte.
      const unsigned low = k == 1 && lead == 0xe0 ? 0xa0 : k == 1 && lead == 0xf0 ? 0x90 : 0x80;
      const unsigned high = k == 1 && lead == 0xed ? 0x9f : k == 1 && lead == 0xf4 ? 0x8f : 0xbf;
      if (next < low || next > high) return false;
    }
    i += static_cast<std::size_t>(more) + 1;
  }
  return true;
}

Extracted none(std::string reason, Json detail = Json::object()) {
  return {std::nullopt, Outcome{OutcomeKind::kNoCandidate, Stage::kExtract, std::move(reason),
                                std::move(detail)}};
}

// Why a block cannot be used; "" when it can.
std::string fault_of(const Block& block) {
  if (block.text.size() > kLargestBlock) {
    return "block is larger than the limit: " + std::to_string(block.text.size()) + " of at most " +
           std::to_string(kLargestBlock) + " bytes";
  }
  if (block.text.find('\0') != std::string::npos) return "block holds a NUL character";
  if (!valid_utf8(block.text)) return "block is not UTF-8";
  return "";
}

}  // namespace

Extracted extract(const Reply& reply) {
  if (reply.text.size() > kLargestReply) {
    return none("larger than the limit: the reply has " + std::to_string(reply.text.size()) +
                    " bytes, at most " + std::to_string(kLargestReply) + " are read",
                {{"bytes", reply.text.size()}});
  }
  const std::vector<Block> blocks = blocks_of(reply.text);
  const Block* code = nullptr;
  const Block* plan = nullptr;
  for (const Block& block : blocks) {
    if (!block.closed) continue;
    if (is_code(block) && (code == nullptr || holds_kernel(block) || !holds_kernel(*code))) {
      code = &block;
    }
    if (is_json(block) && block.text.find("\"plan\"") != std::string::npos) plan = &block;
  }

  if (!blocks.empty() && !blocks.back().closed) {
    const Block& last = blocks.back();
    const bool lacks = code == nullptr || plan == nullptr;
    if (is_code(last) || is_json(last) || lacks) {
      return none("truncated: the reply ends inside its last " +
                      (last.label.empty() ? std::string() : last.label + " ") + "block",
                  {{"block", static_cast<int>(blocks.size())}});
    }
  }
  if (code == nullptr)
    return none("no hip block: the kernels stand in one fenced block labelled hip");
  if (plan == nullptr) {
    return none(
        "no json block with a plan: the launch plan stands in one fenced block labelled json");
  }
  if (const std::string fault = fault_of(*code); !fault.empty()) return none("the hip " + fault);
  if (const std::string fault = fault_of(*plan); !fault.empty()) return none("the json " + fault);

  Candidate candidate;
  candidate.source = code->text;
  candidate.plan_text = plan->text;
  candidate.hash = candidate_hash(candidate.source, candidate.plan_text);
  return {std::move(candidate), std::nullopt};
}

}  // namespace kvgen
