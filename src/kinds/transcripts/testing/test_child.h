#pragma once

// For tests: a process with a name of one's choice that sits there until it is ended.

#include "base/files/test_folder.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

namespace holdfast::transcripts {

class TestChild {
 public:
  // `what`: "sleep" ends at SIGTERM, "ignore" does not. A shell script, so that the kernel knows it by its own name; it has said
  // that it is ready when the constructor returns.
  TestChild(const std::string& name, const std::string& what) {
    const std::string script = folder_ / name;
    std::ofstream(script) << "#!/bin/sh\n" << (what == "ignore" ? "trap '' TERM\n" : "") << "echo ready\nread forever\n";
    std::filesystem::permissions(script, std::filesystem::perms::owner_all);
    int out[2], in[2];
    if (::pipe2(out, O_CLOEXEC) != 0 || ::pipe2(in, O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    ::posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    std::string argument = script;
    char* arguments[] = {argument.data(), nullptr};
    if (::posix_spawn(&pid_, script.c_str(), &actions, nullptr, arguments, environ) != 0) pid_ = -1;
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(in[0]);
    ::close(out[1]);
    char byte = 0;
    while (::read(out[0], &byte, 1) == 1 && byte != '\n') {
    }
    ::close(out[0]);
    input_ = in[1];
  }
  ~TestChild() {
    kill();
    if (!waited_ && pid_ > 0) ::waitpid(pid_, nullptr, 0);
    ::close(input_);
  }
  TestChild(const TestChild&) = delete;
  TestChild& operator=(const TestChild&) = delete;

  pid_t pid() const { return pid_; }
  // Returns when it is dead, but leaves it for wait_for_signal().
  void kill() {
    if (waited_ || pid_ <= 0) return;  // -1 would be everybody
    ::kill(pid_, SIGKILL);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  int wait_for_signal() {  // that ended it; 0: it ended by itself
    int status = 0;
    ::waitpid(pid_, &status, 0);
    waited_ = true;
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }

 private:
  TestFolder folder_;
  pid_t pid_ = -1;
  int input_ = -1;
  bool waited_ = false;
};

}  // namespace holdfast::transcripts
