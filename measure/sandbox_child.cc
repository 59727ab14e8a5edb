#include "measure/sandbox_child.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <new>
#include <vector>

#include "base/descriptor.h"

namespace tinytune::sandbox_protocol {
namespace {

int answers = -1;  // global because a new-handler takes no arguments

void answer(Verdict verdict, bool is_last, const void* bytes, size_t size) {
  std::fflush(nullptr);  // output printed so far belongs to this call
  const AnswerHeader header{verdict, is_last, size};
  write_fully(answers, &header, sizeof header);
  write_fully(answers, bytes, size);
}

[[noreturn]] void out_of_memory() {
  const AnswerHeader header{Verdict::kMemory, true, 0};
  write_fully(answers, &header, sizeof header);
  ::_exit(0);
}

uint64_t address_space_bytes() {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Sets only the soft limit, because the next call's may be higher.
void limit(__rlimit_resource resource, uint64_t value) {
  rlimit both{};
  ::getrlimit(resource, &both);
  both.rlim_cur = std::min<rlim_t>(value, both.rlim_max);
  ::setrlimit(resource, &both);
}

void settle(pid_t server, const ChildEnds& ends) {
  ::setpgid(0, 0);  // so that its own children can be killed with it and Ctrl-C does not reach it
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != server) ::_exit(0);
  ::dup2(ends.words, STDOUT_FILENO);
  ::dup2(ends.words, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  // A handler installed by the host, or by a linker that ran in it, would hide the ending signal.
  for (int signal = 1; signal < SIGRTMIN; ++signal)
    if (signal != SIGPIPE) ::signal(signal, SIG_DFL);
  ::signal(SIGXFSZ, SIG_IGN);  // a file-size limit makes write() fail; it must not end the child
  answers = ends.answers;
  std::set_new_handler(out_of_memory);
}

}  // namespace

void run_child(pid_t server, const ChildEnds& ends, const Sandbox::Function& function) {
  settle(server, ends);
  try {
    CallHeader header{};
    while (read_fully(ends.requests, &header, sizeof header)) {
      std::vector<uint8_t> request(header.size_bytes);
      if (!read_fully(ends.requests, request.data(), request.size())) break;
#ifndef __SANITIZE_ADDRESS__  // its shadow alone is terabytes of address space
      limit(RLIMIT_AS, address_space_bytes() + header.memory_bytes);
#endif
      const Sandbox::Answer result = function(request);
      answer(Verdict::kResult, result.leaves_marks, result.bytes.data(), result.bytes.size());
    }
  } catch (const std::exception& e) {
    answer(Verdict::kException, true, e.what(), std::strlen(e.what()));
  }
  ::_exit(0);
}

}  // namespace tinytune::sandbox_protocol
