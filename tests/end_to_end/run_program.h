// SPDX-License-Identifier: Apache-2.0
// Runs a program as a user would and captures what it prints and how it ends.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "heed/base/testing.h"

namespace heed::test {

struct ProgramResult {
  int exit_code = -1;  // 128 + the signal when one ended it
  std::string out;
  std::string err;
};

struct ProgramSetting {
  std::vector<std::pair<std::string, std::string>> environment = {};  // added to this process's
  std::string folder = {};                                            // to run in; empty: this one
  std::string output = {};          // where stdout goes instead of being captured, as "/dev/full"
  std::string input = "/dev/null";  // where stdin comes from
};

// argv[0] is the path of the program.
inline ProgramResult run_program(const std::vector<std::string>& argv,
                                 const ProgramSetting& setting = {}) {
  // Files, not pipes: a program that prints much on both streams cannot block.
  const TemporaryFolder folder;
  const std::string out = setting.output.empty() ? (folder / "out").string() : setting.output;
  const std::string err = (folder / "err").string();
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    for (const auto& [name, value] : setting.environment) setenv(name.c_str(), value.c_str(), 1);
    const bool moved = setting.folder.empty() || chdir(setting.folder.c_str()) == 0;
    dup2(open(setting.input.c_str(), O_RDONLY), 0);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, 0600), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, 0600), 2);
    if (moved) execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ProgramResult result;
  result.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (setting.output.empty()) result.out = get(out);
  result.err = get(err);
  return result;
}

// A command line as words, cut at white space, with more after them.
inline std::vector<std::string> words_of(const std::string& line,
                                         const std::vector<std::string>& more = {}) {
  std::istringstream stream(line);
  std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

// The program `heed` with these arguments.
inline ProgramResult run_heed(std::vector<std::string> arguments,
                              const ProgramSetting& setting = {}) {
  arguments.insert(arguments.begin(), HEED_PROGRAM);
  return run_program(arguments, setting);
}

}  // namespace heed::test
