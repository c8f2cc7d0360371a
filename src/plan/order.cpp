#include "plan/order.h"

#include <algorithm>
#include <map>

namespace kvgen {
namespace {

class Sorter {
 public:
  explicit Sorter(const Names& names) : names_(names) {}

  NameOrder sort() {
    for (std::size_t i = 0; i < names_.plan().lets.size(); ++i) {
      visit({Named::Kind::kLet, static_cast<int>(i)});
    }
    for (std::size_t i = 0; i < names_.plan().buffers.size(); ++i) {
      visit({Named::Kind::kBuffer, static_cast<int>(i)});
    }
    return std::move(out_);
  }

 private:
  using Key = std::pair<Named::Kind, int>;

  [[nodiscard]] const std::string& name_of(const Named& what) const {
    const auto index = static_cast<std::size_t>(what.index);
    return what.kind == Named::Kind::kLet ? names_.plan().lets[index].name
                                          : names_.plan().buffers[index].name;
  }

  // Recursion is bounded by the number of names.
  void visit(const Named& what) {
    const Key key{what.kind, what.index};
    if (out_.cycle || done_[key]) return;
    const auto open = std::find(path_.begin(), path_.end(), key);
    if (open != path_.end()) {
      std::string chain;
      for (auto at = open; at != path_.end(); ++at) {
        chain += name_of({at->first, at->second}) + " -> ";
      }
      const std::string prefix = what.kind == Named::Kind::kLet ? "let." : "buffers.";
      out_.cycle =
          PlanFault{prefix + name_of(what), "depends on itself: " + chain + name_of(what), ""};
      return;
    }
    path_.push_back(key);
    const auto index = static_cast<std::size_t>(what.index);
    if (what.kind == Named::Kind::kLet) {
      follow(names_.plan().lets[index].value);
    } else {
      for (const Expression& extent : names_.plan().buffers[index].shape) follow(extent);
    }
    path_.pop_back();
    done_[key] = true;
    out_.order.push_back(what);
  }

  void follow(const Expression& expression) {
    for (const Expression::Node& node : expression.nodes) {
      const auto* name = std::get_if<Expression::Name>(&node.what);
      if (name == nullptr) continue;
      const auto found = names_.find(name->text);
      if (!found) continue;
      if (found->kind == Named::Kind::kLet || found->kind == Named::Kind::kBuffer) visit(*found);
    }
  }

  const Names& names_;
  NameOrder out_;
  std::vector<Key> path_;
  std::map<Key, bool> done_;
};

}  // namespace

NameOrder order_of(const Names& names) { return Sorter(names).sort(); }

}  // namespace kvgen
