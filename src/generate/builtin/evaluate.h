#pragma once

#include <map>
#include <string>

#include "generate/builtin/kernel.h"
#include "generate/builtin/schedule.h"

namespace kvgen::builtin {

// Lines of a kernel's body, indented by the blocks that are open.
struct Body {
  std::string text;
  std::string indent = "  ";

  void line(const std::string& statement) { text += indent + statement + "\n"; }
  // A statement that ends in "{", and its end.
  void open(const std::string& statement) {
    line(statement);
    indent += "  ";
  }
  void otherwise() {
    indent.resize(indent.size() - 2);
    open("} else {");
  }
  void close() {
    indent.resize(indent.size() - 2);
    line("}");
  }
};

// Writes the statements that compute values at the kernel's coordinates. A
// value asked for twice in one scope is computed once.
class Evaluator {
 public:
  Evaluator(const Program& program, const Schedule& schedule, const Group& group, Kernel& kernel)
      : program_(program), schedule_(schedule), group_(group), kernel_(kernel) {}

  // The variable that holds a local reduction or product from now on.
  void set_local(int node, const std::string& variable) { locals_[node] = variable; }

  // Forgets variables declared since: call at the end of their C++ scope.
  void leave_scope() { known_.clear(); }
  void close(Body& body) {
    body.close();
    leave_scope();
  }

  std::string value(int node, const Indices& indices, Body& body);
  void store(const Sink& sink, Body& body);

 private:
  std::string computed(int node, const Indices& indices, Body& body);
  std::string guarded(const Node& guard, const Indices& indices, Body& body);
  std::string load(const std::string& tensor, const Node& what, const Indices& indices, Body& body);
  // Text of an index, after the integers that it reads from tensors.
  std::string index_text(const Index& index, Body& body);
  std::string operand(int node, DType computes_in, const Indices& indices, Body& body);

  const Program& program_;
  const Schedule& schedule_;
  const Group& group_;
  Kernel& kernel_;
  std::map<int, std::string> locals_;
  std::map<std::string, std::string> known_;
  int variables_ = 0;
};

}  // namespace kvgen::builtin
