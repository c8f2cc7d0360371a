#include "tests/device/worker_client.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <stdexcept>

#include "kvgen/worker/frame.h"

namespace kvgen::test {

WorkerClient::WorkerClient(const std::string& path) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw std::runtime_error("no socket pair");
  }
  socket_.reset(ends[0]);
  const UniqueFd theirs(ends[1]);
  pid_ = ::fork();
  if (pid_ == 0) {
    if (theirs.get() == kWorkerSocket) {
      ::fcntl(kWorkerSocket, F_SETFD, 0);
    } else {
      ::dup2(theirs.get(), kWorkerSocket);
    }
    char* const arguments[] = {const_cast<char*>(path.c_str()), nullptr};
    char* const environment[] = {nullptr};
    ::execve(path.c_str(), arguments, environment);
    ::_exit(127);
  }
}

WorkerClient::~WorkerClient() {
  socket_.reset();
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

Result<Message> WorkerClient::ask(const std::string& op, Message body) const {
  FrameWriter writer(request_message(op, std::move(body)));
  TRY(Progress progress, writer.write_to(socket_.get()));
  FrameReader reader;
  TRY(progress, reader.read_from(socket_.get()));
  if (progress != Progress::kDone) return Error(Code::kWorker, "the worker has ended");
  return open_reply(reader.take());
}

}  // namespace kvgen::test
