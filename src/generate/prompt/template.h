#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kvgen/base/result.h"

namespace kvgen::generate {

using TemplateValues = std::map<std::string, std::string>;

// A text with places: {{name}} is replaced by a value, {{#name}}...{{/name}} is kept where
// the value is not empty. Values are put in as they are and never read as templates.
//
// Strict: a name without a value, a value without a place, and a mark that is none are
// errors, so that a prompt never lacks something silently. A line that holds nothing but
// the marks of a section goes with them.
class Template {
 public:
  // `where` names the template in messages.
  static Result<Template> parse(std::string_view text, const std::string& where);

  [[nodiscard]] Result<std::string> fill(const TemplateValues& values) const;

 private:
  struct Piece {
    enum class Kind { kText, kValue, kOpen, kClose } kind;
    std::string text;  // or the name
  };
  std::string where_;
  std::vector<Piece> pieces_;
};

}  // namespace kvgen::generate
