#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvgen::generate {

struct SseEvent {
  std::string name;  // "" unless an `event:` line named it
  std::string data;  // `data:` lines joined by line feeds
};

// Server-sent events from pieces of any size. Line ends are LF, CR LF or CR; comments,
// a byte order mark and unknown fields are passed over.
class SseParser {
 public:
  // The events that this piece completes.
  std::vector<SseEvent> feed(std::string_view piece);
  // At the end of the body: an event that no empty line followed.
  std::vector<SseEvent> finish();

 private:
  void end_line(std::vector<SseEvent>& out);
  void end_event(std::vector<SseEvent>& out);

  std::string line_;
  SseEvent event_;
  bool has_data_ = false;
  bool after_cr_ = false;
  bool first_line_ = true;
};

}  // namespace kvgen::generate
