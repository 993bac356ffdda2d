// SPDX-License-Identifier: Apache-2.0
// A program that runs while the test goes on: it can be sent signals, and its end says how long it
// took and how much memory it had.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/testing.h"

namespace heed::test {

class BackgroundProgram {
 public:
  // Starts `heed` with these arguments, on one thread.
  explicit BackgroundProgram(std::vector<std::string> arguments,
                             const std::string& input = "/dev/null") {
    arguments.insert(arguments.begin(), HEED_PROGRAM);
    std::vector<char*> words;
    for (std::string& word : arguments) words.push_back(word.data());
    words.push_back(nullptr);
    const std::string out = (folder_ / "out").string();
    const std::string err = (folder_ / "err").string();
    child_ = ::fork();
    if (child_ == 0) {
      ::setenv("HEED_THREADS", "1", 1);
      ::dup2(::open(input.c_str(), O_RDONLY), 0);
      ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
      ::dup2(::open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
      ::execv(words[0], words.data());
      ::_exit(127);
    }
  }
  ~BackgroundProgram() {
    if (child_ <= 0) return;
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  void signal(int number) { ::kill(child_, number); }

  // Until `holds`, or two minutes have passed; whether it holds.
  static bool until(const std::function<bool()>& holds) {
    for (int i = 0; i < 12000; ++i) {
      if (holds()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

  struct End {
    int exit_code = -1;  // 128 + the signal when one ended it
    double seconds = 0;  // from the call of wait()
    double cpu_seconds = 0;
    long megabytes = 0;  // most that were resident
    std::string out{};
    std::string err{};
  };
  End wait() {
    const auto start = std::chrono::steady_clock::now();
    int status = 0;
    struct rusage usage {};
    ::wait4(child_, &status, 0, &usage);
    child_ = -1;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    return {.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status),
            .seconds = passed.count(),
            .cpu_seconds = static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec),
            .megabytes = usage.ru_maxrss / 1024,
            .out = get(folder_ / "out"),
            .err = get(folder_ / "err")};
  }

 private:
  TemporaryFolder folder_;
  pid_t child_ = -1;
};

}  // namespace heed::test
