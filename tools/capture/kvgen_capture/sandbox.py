"""Closes a child process in before it runs task code, as far as the kernel allows.

Namespaces (no network, own process ids), Landlock (Python's files and the
system's libraries may be read, the working folder changed, nothing else), seccomp
(no processes, no sockets) and resource limits. Each part that this machine lacks is left out.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import platform
import resource
import signal
import struct
import sys
from typing import Iterator

_NEWIPC, _NEWUSER, _NEWPID, _NEWNET = 0x08000000, 0x10000000, 0x20000000, 0x40000000
_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS = 1, 38
# The same numbers on every architecture that Landlock supports.
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_LANDLOCK_VERSION = 1
_PATH_BENEATH = 1
_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_RIGHTS_BY_VERSION = {1: 1 << 13, 2: 1 << 14, 3: 1 << 15, 4: 1 << 15, 5: 1 << 16}

_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
_MASKED_EQUAL, _CLONE_THREAD = 7, 0x00010000
_REFUSED = (
    "execve execveat fork vfork socket socketpair connect bind ptrace process_vm_readv "
    "process_vm_writev pidfd_getfd bpf io_uring_setup mount umount2 pivot_root chroot setns "
    "unshare userfaultfd perf_event_open keyctl add_key request_key kexec_load init_module "
    "finit_module reboot swapon swapoff settimeofday clock_settime"
).split()

_libc = ctypes.CDLL(None, use_errno=True)


class _Compare(ctypes.Structure):
    _fields_ = [
        ("arg", ctypes.c_uint),
        ("op", ctypes.c_int),
        ("a", ctypes.c_uint64),
        ("b", ctypes.c_uint64),
    ]


def die_with_parent() -> None:
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def leave_namespaces() -> bool:
    """For the next child: no network and process ids of its own, so that it dies whole."""
    wanted = _NEWPID | _NEWNET | _NEWIPC
    if os.geteuid() != 0:
        wanted |= _NEWUSER
    return _libc.unshare(wanted) == 0


def limit_resources(seconds: int, memory: int) -> None:
    with open("/proc/self/statm") as statm:
        mapped = int(statm.read().split()[0]) * resource.getpagesize()
    for what, value in (
        (resource.RLIMIT_AS, mapped + memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 64 << 20),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, 256),
    ):
        _, hard = resource.getrlimit(what)
        if hard != resource.RLIM_INFINITY:
            value = min(value, hard)
        resource.setrlimit(what, (value, value))


def _rights() -> Iterator[tuple[str, int]]:
    """What Python needs to go on importing, and devices without a memory."""
    own = {sys.prefix, sys.base_prefix, *sys.path}
    for path in (*own, "/usr", "/lib", "/lib64", "/proc", "/sys", "/etc/ld.so.cache"):
        if os.path.isdir(path):
            yield path, _READ_FILE | _READ_FOLDER | _EXECUTE
        elif os.path.exists(path):
            yield path, _READ_FILE | _EXECUTE
    for device in ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom"):
        if os.path.exists(device):
            yield device, _READ_FILE | _WRITE_FILE


def confine_files(writable: str) -> bool:
    version = _libc.syscall(_LANDLOCK_CREATE, None, 0, _LANDLOCK_VERSION)
    if version < 1:
        return False
    handled = _RIGHTS_BY_VERSION[min(version, 5)] - 1
    attributes = struct.pack("<Q", handled)
    rules = _libc.syscall(_LANDLOCK_CREATE, attributes, len(attributes), 0)
    if rules < 0:
        return False
    try:
        for path, rights in (*_rights(), (writable, handled)):
            beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
            rule = struct.pack("<Qi", rights, beneath)
            _libc.syscall(_LANDLOCK_ADD, rules, _PATH_BENEATH, rule, 0)
            os.close(beneath)
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        return _libc.syscall(_LANDLOCK_RESTRICT, rules, 0) == 0
    finally:
        os.close(rules)


def refuse_system_calls() -> bool:
    """Threads may start; processes, programs and sockets may not."""
    try:
        seccomp = ctypes.CDLL("libseccomp.so.2")
    except OSError:
        return False
    seccomp.seccomp_init.restype = ctypes.c_void_p
    context = seccomp.seccomp_init(ctypes.c_uint32(_ALLOW))
    if not context:
        return False
    context = ctypes.c_void_p(context)

    def refuse(name: str, action: int, *compare: _Compare) -> None:
        number = seccomp.seccomp_syscall_resolve_name(name.encode())
        if number >= 0:
            several = (_Compare * len(compare))(*compare)
            seccomp.seccomp_rule_add_array(
                context, ctypes.c_uint32(action), number, len(compare), several
            )

    for name in _REFUSED:
        refuse(name, _EPERM)
    # libc falls back to clone, whose flags a filter can see.
    refuse("clone3", _ENOSYS)
    refuse("clone", _EPERM, _Compare(0, _MASKED_EQUAL, _CLONE_THREAD, 0))
    loaded = seccomp.seccomp_load(context) == 0
    seccomp.seccomp_release(context)
    return loaded


def enter(seconds: int, memory: int, writable: str) -> list[str]:
    """What is in force afterwards."""
    limit_resources(seconds, memory)
    have = ["limits"]
    if confine_files(writable):
        have.append("landlock")
    if platform.machine() in ("x86_64", "aarch64") and refuse_system_calls():
        have.append("seccomp")
    return have
