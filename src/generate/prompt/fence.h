#pragma once

#include <string>
#include <string_view>

namespace kvgen::generate {

// Text of unknown origin between fences that it cannot close: more backticks than it
// holds in a row. Control characters and the marks of chat templates (<|...|>) in it are
// made visible and powerless. Ends with a line feed.
std::string fenced(std::string_view label, std::string_view text);

// The same for one line of a list: no line breaks, at most `most` bytes.
std::string one_line(std::string_view text, std::size_t most);

}  // namespace kvgen::generate
