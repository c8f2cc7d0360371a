#include "generate/llm/sse.h"

#include <utility>

namespace kvgen::generate {

std::vector<SseEvent> SseParser::feed(std::string_view piece) {
  std::vector<SseEvent> out;
  while (!piece.empty()) {
    if (std::exchange(after_cr_, false) && piece.front() == '\n') {
      piece.remove_prefix(1);
      continue;
    }
    const auto end = piece.find_first_of("\r\n");
    line_ += piece.substr(0, end);
    if (end == std::string_view::npos) break;
    after_cr_ = piece[end] == '\r';
    piece.remove_prefix(end + 1);
    end_line(out);
  }
  return out;
}

std::vector<SseEvent> SseParser::finish() {
  std::vector<SseEvent> out;
  if (!line_.empty()) end_line(out);
  end_event(out);
  return out;
}

void SseParser::end_line(std::vector<SseEvent>& out) {
  std::string line = std::exchange(line_, {});
  if (std::exchange(first_line_, false) && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
  if (line.empty()) {
    end_event(out);
    return;
  }
  const auto colon = line.find(':');
  const std::string field = line.substr(0, colon);
  std::string value = colon == std::string::npos ? "" : line.substr(colon + 1);
  if (value.starts_with(' ')) value.erase(0, 1);
  if (field == "event") {
    event_.name = std::move(value);
  } else if (field == "data") {
    if (has_data_) event_.data += '\n';
    event_.data += value;
    has_data_ = true;
  }
}

void SseParser::end_event(std::vector<SseEvent>& out) {
  SseEvent event = std::exchange(event_, {});
  if (std::exchange(has_data_, false)) out.push_back(std::move(event));
}

}  // namespace kvgen::generate
