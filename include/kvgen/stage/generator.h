#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/model/attempt.h"
#include "kvgen/model/task.h"
#include "kvgen/stage/awaitable.h"

namespace kvgen {

// What has been tried on a task so far, in order.
using History = std::vector<Attempt>;

// Proposes a kernel for a task. A reply without a usable kernel is still a
// reply; an Outcome (`no_candidate`, naming the operator that has no rule) is
// the generator's honest "I cannot". An Error means that nobody could be asked.
struct Proposal {
  std::optional<Reply> reply;
  std::optional<Outcome> declined;  // exactly one of the two is set
};

// A reply read: its candidate, or the outcome (`no_candidate: truncated`) where it has none.
struct Extracted {
  std::optional<Candidate> candidate;
  std::optional<Outcome> outcome;  // exactly one of the two is set
};

// What a generator says while it asks somebody whose answers may cost money.
class Asking {
 public:
  virtual ~Asking() = default;
  // Before each request is sent. An Error: it must not be sent.
  virtual Result<void> about_to_ask() = 0;
  // The request announced last cost nothing: refused, or it reached nobody.
  virtual Result<void> nothing_bought() = 0;
  // Nobody answers at present; in words, for whoever watches the run.
  virtual void waiting(const std::string& why) = 0;
};

class Generator {
 public:
  virtual ~Generator() = default;

  // What distinguishes its answers, for the run's settings: {"kind": "builtin", "version": 3}.
  virtual Json describe() const = 0;

  // How many turns are worth asking for (1 where a second answer is the first one again).
  virtual int useful_turns(const Task& task) const = 0;

  // How many tasks may wait for its answers at once; 0: it answers at once.
  virtual int answers_in_flight() const { return 0; }

  virtual Awaitable<Result<Proposal>> propose(const Task& task, const History& history,
                                              Asking& asking) = 0;

  // The attempt that the next one goes on from; none: it begins anew. Pure.
  virtual const Attempt* parent(const History& history) const {
    return history.empty() ? nullptr : &history.back();
  }

  // What the next prompt says of a finished attempt; null where nobody reads it. Pure.
  virtual Json feedback(const Task&, const Attempt&) const { return nullptr; }

  // Reads a reply, also one kept by an earlier process. Pure.
  virtual Extracted extract(const Reply& reply) const = 0;
};

}  // namespace kvgen
