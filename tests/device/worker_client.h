#pragma once

#include <string>
#include <vector>

#include "kvgen/base/fd.h"
#include "kvgen/worker/serve.h"

namespace kvgen::test {

// A worker's binary as kvgen starts it: empty environment, socket on descriptor 3.
class WorkerClient {
 public:
  explicit WorkerClient(const std::string& path);
  ~WorkerClient();
  WorkerClient(const WorkerClient&) = delete;
  WorkerClient& operator=(const WorkerClient&) = delete;

  Result<Message> ask(const std::string& op, Message body) const;
  [[nodiscard]] Handler handler() const {
    return [this](const std::string& op, Message body) { return ask(op, std::move(body)); };
  }
  [[nodiscard]] int pid() const { return pid_; }

 private:
  UniqueFd socket_;
  int pid_ = -1;
};

}  // namespace kvgen::test
