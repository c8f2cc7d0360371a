#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kvgen/base/json.h"
#include "kvgen/base/result.h"

namespace kvgen {

// What this machine can close a worker in with, asked by system call.
struct SandboxFacilities {
  int landlock_abi = 0;              // 0: none; 4 and later also close TCP, 6 signals
  bool seccomp = false;              // filters
  bool user_namespaces = false;      // an unprivileged user and network namespace
  std::vector<std::string> lacking;  // one line each: what, why, what it costs
};

// Forks once to try namespaces; changes nothing here.
SandboxFacilities probe_sandbox();
Json to_json(const SandboxFacilities& facilities);

// What a worker may still do after it has closed itself in.
struct SandboxPolicy {
  std::vector<std::filesystem::path> readable;  // files and folders; missing ones grant nothing
  std::vector<std::filesystem::path> writable;  // read, written and made in; must exist
  std::vector<std::filesystem::path> devices;   // read, written and ioctl'ed; missing: as above
  bool allow_exec = false;
  bool allow_network = false;             // new sockets; the inherited one always works
  bool allow_fork = true;                 // processes; threads are always allowed
  std::uint64_t address_space_bytes = 0;  // 0: no limit
  std::uint64_t file_bytes = 16UL << 30;  // size of one written file; memfds count too
  std::uint64_t open_files = 1024;
  bool die_with_parent = true;  // SIGKILL when the thread that started this process ends
};

// What was put in force.
struct SandboxReport {
  int landlock_abi = 0;
  bool files_closed = false;
  bool tcp_closed = false;  // by Landlock, on top of seccomp
  bool syscalls_filtered = false;
  std::vector<std::string> gaps;  // what could not be, one line each
};
Json to_json(const SandboxReport& report);

// The files that a dynamically linked program needs to start and to know its CPU.
std::vector<std::filesystem::path> system_files();

// Closes this process in, for good. Call it before any thread is started
// (kInternal otherwise): Landlock holds for the calling thread and what it starts.
//
// A facility the machine lacks is a gap in the report; a facility that exists
// and refuses is an Error, and the process must not go on to untrusted work.
// May be called again, by a forked child, with a narrower policy.
Result<SandboxReport> enter_sandbox(const SandboxPolicy& policy);

}  // namespace kvgen
