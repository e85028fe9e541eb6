#pragma once

// What every way of starting a program needs: pipes, arguments as the kernel takes them, and how it ended.

#include "base/files/fd.h"
#include "base/result.h"

#include <fcntl.h>
#include <sys/wait.h>

#include <cerrno>
#include <string>
#include <vector>

namespace holdfast::net {

struct Pipe {
  Fd read, write;
};

// Neither end is inherited; both block.
inline Result<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail(system_error("make a pipe", errno));
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

inline void set_non_blocking(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

// With the null at the end; good as long as the texts.
inline std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Of what waitpid() says. A signal counts as the shell counts it.
inline int exit_code_of(int status) {
  constexpr int kSignalExit = 128;
  return WIFSIGNALED(status) ? kSignalExit + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace holdfast::net
