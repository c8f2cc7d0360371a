#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kvgen {

struct Token {
  enum class Kind { kEnd, kInteger, kReal, kName, kSymbol, kBad };
  Kind kind = Kind::kEnd;
  std::string_view text;  // as written
  std::int64_t integer = 0;
  double real = 0;
  std::string problem;  // of kBad
};

// Cuts an expression into tokens; a name is the longest run of [A-Za-z0-9_.].
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  Token number();
  Token bad(std::string problem);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace kvgen
