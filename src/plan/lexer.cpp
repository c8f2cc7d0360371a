#include "plan/lexer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace kvgen {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool in_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

constexpr std::array<std::string_view, 11> kPairs = {
    "||", "&&", "==", "!=", "<=", ">=", "<<", ">>", "//", "**", "->"};
constexpr std::string_view kSingles = "?:|^&<>+-*/%!~(),[]";

}  // namespace

Token Lexer::bad(std::string problem) {
  Token token;
  token.kind = Token::Kind::kBad;
  token.problem = std::move(problem);
  return token;
}

Token Lexer::number() {
  const std::size_t start = at_;
  const bool hex = text_.substr(at_, 2) == "0x" || text_.substr(at_, 2) == "0X";
  bool real = false;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    const bool sign = (c == '+' || c == '-') && !hex && at_ > start &&
                      (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
    if (!in_name(c) && !sign) break;
    if (!hex && (c == '.' || c == 'e' || c == 'E')) real = true;
    ++at_;
  }
  Token token;
  token.text = text_.substr(start, at_ - start);
  const std::string written(token.text);
  const char* begin = token.text.data() + (hex ? 2 : 0);
  const char* end = token.text.data() + token.text.size();

  std::from_chars_result read{};
  if (real) {
    token.kind = Token::Kind::kReal;
    read = std::from_chars(begin, end, token.real);
  } else {
    token.kind = Token::Kind::kInteger;
    if (!hex && token.text.size() > 1 && token.text[0] == '0' && is_digit(token.text[1])) {
      return bad("\"" + written + "\" starts with 0: decimal numbers do not");
    }
    read = std::from_chars(begin, end, token.integer, hex ? 16 : 10);
  }
  if (read.ec == std::errc::result_out_of_range) {
    return bad(written + (real ? " is out of range" : " is beyond int64"));
  }
  if (read.ec != std::errc{} || read.ptr != end) {
    return bad("\"" + written + "\" is not a number (no suffixes)");
  }
  return token;
}

Token Lexer::next() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r')) {
    ++at_;
  }
  Token token;
  if (at_ >= text_.size()) return token;
  const char c = text_[at_];
  const bool fraction = c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]);
  if (is_digit(c) || fraction) return number();
  if (starts_name(c)) {
    const std::size_t start = at_;
    while (at_ < text_.size() && in_name(text_[at_])) ++at_;
    token.kind = Token::Kind::kName;
    token.text = text_.substr(start, at_ - start);
    return token;
  }
  token.kind = Token::Kind::kSymbol;
  const std::string_view pair = text_.substr(at_, 2);
  for (const std::string_view known : kPairs) {
    if (pair != known) continue;
    token.text = pair;
    at_ += 2;
    return token;
  }
  if (kSingles.find(c) != std::string_view::npos) {
    token.text = text_.substr(at_++, 1);
    return token;
  }
  if (c == '=') return bad("\"=\" compares as \"==\"");
  if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f) {
    return bad("a character that no expression has");
  }
  return bad(std::string("\"") + c + "\" is not part of an expression");
}

}  // namespace kvgen
