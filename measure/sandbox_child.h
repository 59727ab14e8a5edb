// The child half of a sandbox: the process that a sandbox's function runs in. See sandbox.h.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

#include "measure/sandbox.h"

namespace tinytune::sandbox_protocol {

enum class Verdict : uint8_t {
  kResult,     ///< followed by the function's return value
  kException,  ///< followed by the exception's message
  kMemory,     ///< out of memory; nothing follows, the child has ended
};

/// Headers of a request to a child and of its answer.
struct CallHeader {
  uint64_t memory_bytes, size_bytes;
};
struct AnswerHeader {
  Verdict verdict;
  bool is_last;  ///< the child must not be used again
  uint64_t size_bytes;
};

/// The child's ends of its pipes.
struct ChildEnds {
  int requests, answers;
  int words;  ///< becomes its stdout and stderr
};

/// Answers requests until there are no more or one fails, then ends the process.
[[noreturn]] void run_child(pid_t server, const ChildEnds& ends, const Sandbox::Function& function);

}  // namespace tinytune::sandbox_protocol
