// SPDX-License-Identifier: Apache-2.0
// Words from a line, and a child process from words.
#include "cli/command.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, inside = false;
  for (const char letter : line) {
    if (letter == '"') {
      quoted = !quoted;
      if (!inside) words.emplace_back();
      inside = true;
    } else if (letter == ' ' && !quoted) {
      inside = false;
    } else {
      if (!inside) words.emplace_back();
      inside = true;
      words.back() += letter;
    }
  }
  if (quoted) throw UsageError("{}: a quote that does not end", line);
  return words;
}

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> block{};
  for (;;) {
    const ssize_t count = ::read(descriptor, block.data(), block.size());
    if (count == 0 || (count < 0 && errno != EINTR)) return text;
    if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
  }
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

}  // namespace

Command parse_command(std::string_view line) {
  Command command{.words = words_of(line)};
  const std::size_t count = command.words.size();
  if (count > 2 && command.words[count - 2] == ">") {
    command.output = command.words.back();
    command.words.resize(count - 2);
  }
  if (command.words.size() < 2 || command.words[0] != "heed") {
    throw UsageError("{}: a command of a recipe begins with heed and a verb", line);
  }
  return command;
}

std::string run_command(const Command& command, CommandCost* cost) {
  std::vector<char*> words;
  for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int ends[2];
  if (::pipe(ends) != 0) throw DataError("no pipe: {}", std::strerror(errno));
  const pid_t child = ::fork();
  if (child < 0) throw DataError("no process: {}", std::strerror(errno));
  if (child == 0) {
    // A training whose caller was ended, even by kill -9, ends too and leaves a checkpoint.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    ::close(ends[0]);
    ::dup2(ends[1], STDOUT_FILENO);
    ::execv("/proc/self/exe", words.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  std::string text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  rusage used{};
  while (::wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  if (cost != nullptr) {
    *cost = {.seconds = seconds_of(used.ru_utime) + seconds_of(used.ru_stime),
             .bytes = static_cast<double>(used.ru_maxrss) * 1024};
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    throw DataError("`{}` did not end well; its message is above", join(command.words, " "));
  }
  if (!command.output.empty()) write_atomically(command.output, text);
  return text;
}

}  // namespace heed::cli
