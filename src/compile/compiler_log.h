#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kvgen {

// Head and tail of a long text, at most 16 KB, with a line that says how much is left out.
std::string head_and_tail(const std::string& text);

struct ReadLog {
  std::string text;         // "kernel.hip:LINE:COL: error: ..." lines and the line they are at
  std::string first_error;  // of `text`; empty when the log holds none
};

// A compiler's log in the form that Clang's diagnostics have here: the candidate's lines by
// number and text, nothing of headers' insides, and no path of this machine, whatever the log
// says. `file` is the base name that the candidate's text had.
ReadLog read_compiler_log(std::string_view log, std::string_view file, std::string_view source);

}  // namespace kvgen
