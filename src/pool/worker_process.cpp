#include "kvgen/pool/worker_process.h"

#include <signal.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "kvgen/worker/serve.h"
#include "pool/spawn.h"

namespace kvgen {

namespace asio = boost::asio;

struct WorkerProcess::State {
  State(const asio::any_io_executor& executor, pool::Child child, std::string worker_name)
      : socket(executor, child.socket.release()),
        pid(child.pid),
        folder(std::move(child.folder)),
        name(std::move(worker_name)) {}

  std::string end() {
    if (pid < 0) return "gone";
    const std::string how = pool::end_child(pid, folder);
    pid = -1;
    boost::system::error_code ignored;
    socket.close(ignored);
    return how;
  }

  asio::posix::stream_descriptor socket;
  pid_t pid;
  std::filesystem::path folder;
  std::string name;
  bool timed_out = false;
};

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(asio::any_io_executor executor,
                                                            const WorkerCommand& command) {
  TRY(pool::Child child, pool::spawn(command));
  auto state = std::make_shared<State>(executor, std::move(child), command.name);
  return std::unique_ptr<WorkerProcess>(new WorkerProcess(std::move(state)));
}

WorkerProcess::WorkerProcess(std::shared_ptr<State> state) : state_(std::move(state)) {}

WorkerProcess::~WorkerProcess() { state_->end(); }

bool WorkerProcess::alive() const { return state_->pid >= 0; }

pid_t WorkerProcess::pid() const { return state_->pid; }

Awaitable<Result<Message>> WorkerProcess::ask(std::string op, Message body,
                                              std::chrono::milliseconds deadline) {
  const std::shared_ptr<State> state = state_;
  const auto lost = [&](const std::string& how) {
    Error error(Code::kWorker, "the " + state->name + " died (" + how + ") on \"" + op + "\"");
    error.set_retryable();
    return error;
  };
  if (state->pid < 0) co_return lost("gone");

  state->timed_out = false;
  asio::steady_timer timer(state->socket.get_executor(), deadline);
  timer.async_wait([state](boost::system::error_code failed) {
    if (failed || state->pid < 0) return;
    state->timed_out = true;
    ::kill(-state->pid, SIGKILL);
    boost::system::error_code ignored;
    state->socket.cancel(ignored);
  });

  FrameWriter writer(request_message(op, std::move(body)));
  FrameReader reader;
  bool sent = false;
  while (true) {
    auto progress = sent ? reader.read_from(state->socket.native_handle())
                         : writer.write_to(state->socket.native_handle());
    if (progress.ok() && *progress == Progress::kDone) {
      if (!sent) {
        sent = true;
        continue;
      }
      timer.cancel();
      co_return open_reply(reader.take());
    }
    if (state->timed_out) {
      state->end();
      Error error(Code::kTimeout, "the " + state->name + " did not answer \"" + op + "\" within " +
                                      std::to_string(deadline.count()) + " ms");
      error.set_retryable();
      co_return error;
    }
    if (!progress.ok() || *progress == Progress::kClosed) {
      timer.cancel();
      const std::string how = state->end();
      co_return lost(progress.ok() ? how : how + "; " + progress.error().message());
    }
    boost::system::error_code ignored;
    co_await state->socket.async_wait(sent ? asio::posix::stream_descriptor::wait_read
                                           : asio::posix::stream_descriptor::wait_write,
                                      asio::redirect_error(asio::use_awaitable, ignored));
    // Ended meanwhile by its owner.
    if (state->pid < 0) co_return lost("stopped");
  }
}

}  // namespace kvgen
