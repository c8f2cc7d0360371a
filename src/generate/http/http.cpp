#include "generate/http/http.h"

#include <algorithm>

namespace kvgen::generate {

const std::string* HttpReply::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& header) { return header.first == name; });
  return found == headers.end() ? nullptr : &found->second;
}

}  // namespace kvgen::generate
