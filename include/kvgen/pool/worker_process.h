#pragma once

#include <sys/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kvgen/base/result.h"
#include "kvgen/stage/awaitable.h"
#include "kvgen/worker/frame.h"

namespace kvgen {

// How to start a worker. It gets a socket on descriptor 3, this environment and
// nothing else, a new process group and an own working folder that is removed
// with it.
struct WorkerCommand {
  std::string name;  // "runner", for messages
  std::filesystem::path program;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value"
  std::filesystem::path scratch;         // parent of the working folder
  std::filesystem::path log;             // its stderr is appended here
};

// One child process that answers requests, one at a time. Destroying it kills
// its whole process group.
class WorkerProcess {
 public:
  static Result<std::unique_ptr<WorkerProcess>> start(boost::asio::any_io_executor executor,
                                                      const WorkerCommand& command);
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Sends a request and waits for its answer. Past the deadline the process
  // group is killed (kTimeout, retryable); a death is kWorker, retryable; what
  // the worker itself answers as an error comes back as that error.
  Awaitable<Result<Message>> ask(std::string op, Message body, std::chrono::milliseconds deadline);

  [[nodiscard]] bool alive() const;
  [[nodiscard]] pid_t pid() const;

 private:
  struct State;
  explicit WorkerProcess(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

}  // namespace kvgen
