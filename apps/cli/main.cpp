// SPDX-License-Identifier: Apache-2.0
// The program `heed`: finds the verb, runs it, turns an error into a message and an exit code.
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/verb_help.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/base/verbosity.h"
#include "heed/base/warning.h"
#include "heed/pipeline/recipe.h"

namespace heed::cli {
namespace {

constexpr std::string_view kOutOfMemory =
    "out of memory; take a smaller --batch-tokens, --tracks, --longest, --max-length or --window, "
    "or a smaller model; with `coverage`, `location_aware` and `alignment_rnn`, which go query by "
    "query, a shorter text";
constexpr int kBugExit = 70;          // EX_SOFTWARE of sysexits.h
constexpr int kBrokenPipeExit = 141;  // 128 + SIGPIPE, what a shell reports for the signal itself

// `heed train --config recipe.toml`: the recipe names the task. Empty without one.
std::string task_of_recipe(std::span<char* const> arguments) {
  constexpr std::string_view kFlag = "--config";
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view word = arguments[i];
    std::string path;
    if (word == kFlag && i + 1 < arguments.size()) path = arguments[i + 1];
    if (word.starts_with("--config=")) path = word.substr(kFlag.size() + 1);
    if (path.empty()) continue;
    const auto recipe = pipeline::find_recipe_table(path);
    return recipe ? recipe->task : std::string();
  }
  return {};
}

void run_verb(const Verb& verb, int argc, char** argv) {
  CommandLine line(opening_of(verb));
  const Action action = verb.setup(line);
  if (!line.parse(argc, argv)) return;
  if (const char* asked = std::getenv("HEED_THREADS"); asked != nullptr) parse_threads(asked);
  const auto began = std::chrono::steady_clock::now();
  action();
  if (verbosity() != Verbosity::verbose) return;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  note(fmt::format("took {:.2f} s and {} of memory at most", took.count(),
                   human_bytes(static_cast<std::uint64_t>(used.ru_maxrss) << 10)));
}

// The verb that the command line names, by itself or by its recipe; null when help on its tasks was
// asked for, and printed.
FoundVerb verb_of(std::span<char* const> arguments) {
  const std::vector<std::string> words(arguments.begin(), arguments.end());
  const FoundVerb found = find_verb(words);
  if (found.verb != nullptr) return found;
  const std::string& first = words.front();
  if (words.size() > 1 && (words[1] == "--help" || words[1] == "-h")) {
    fmt::print("{}", overview_of_tasks(first));
    return found;
  }
  const std::string whole = fmt::format("{} {}", first, task_of_recipe(arguments));
  const auto verb = std::ranges::find(verbs(), whole, &Verb::name);
  if (verb != verbs().end()) return {&*verb, 1};
  throw UsageError(
      "`heed {}` takes a task, or a recipe as --config; the tasks are {}; see `heed {} --help`",
      first, join(tasks_of(first), ", "), first);
}

void dispatch(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc < 2 || first == "--help" || first == "-h") {
    fmt::print("{}", overview());
  } else if (first == "--version") {
    fmt::print("heed {}\n", HEED_VERSION);
  } else if (first.starts_with('-')) {
    const std::vector<std::string> known = {"--help", "--version"};
    throw UsageError("there is no option \"{}\"{}; `heed` alone lists the verbs", first,
                     did_you_mean(first, known));
  } else {
    const FoundVerb found = verb_of(std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
    if (found.verb != nullptr) run_verb(*found.verb, argc - found.words, argv + found.words);
  }
  // Output still in the buffer may fail now; fmt reports what failed earlier in the same way.
  flush_output();
}

// Errors name the verb they come from: "heed train classify: ...".
std::string name_of(int argc, char** argv) {
  std::string name = "heed";
  if (argc < 2) return name;
  const std::string both = argc > 2 ? fmt::format("{} {}", argv[1], argv[2]) : "";
  for (const Verb& verb : verbs()) {
    if (verb.name == both) return fmt::format("heed {}", both);
    if (split(verb.name, ' ').front() == argv[1]) name = fmt::format("heed {}", argv[1]);
  }
  return name;
}

int guarded(int argc, char** argv) {
  const std::string who = name_of(argc, argv);
  const auto complain = [&](std::string_view message, int code) {
    std::fflush(stdout);
    std::fputs(fmt::format("{}: {}\n", who, message).c_str(), stderr);
    return code;
  };
  std::set<std::string> said;
  set_warning_sink([&](std::string_view text) {
    // Once each; after so many different ones nobody reads on.
    constexpr std::size_t kMost = 1000;
    if (said.size() == kMost || !said.emplace(text).second) return;
    std::fflush(stdout);
    std::fputs(fmt::format("{}: warning: {}\n", who, text).c_str(), stderr);
  });
  try {
    dispatch(argc, argv);
    return 0;
  } catch (const InternalError& error) {
    return complain(fmt::format("{} (this is a bug in heed)", error.what()), error.exit_code());
  } catch (const Error& error) {
    return complain(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return complain(kOutOfMemory, DataError("").exit_code());
  } catch (const std::system_error& error) {
    // The reader of our output went away (`heed ... | head`): nothing is wrong, say nothing.
    if (error.code().value() == EPIPE) return kBrokenPipeExit;
    if (std::ferror(stdout) != 0) {
      return complain(fmt::format("cannot write the output: {}", error.code().message()),
                      DataError("").exit_code());
    }
    return complain(fmt::format("{} (this is a bug in heed)", error.what()), kBugExit);
  } catch (const std::exception& error) {
    return complain(fmt::format("{} (this is a bug in heed)", error.what()), kBugExit);
  } catch (...) {
    return complain("an error without a message (this is a bug in heed)", kBugExit);
  }
}

}  // namespace
}  // namespace heed::cli

int main(int argc, char** argv) {
  return heed::cli::guarded(argc, argv);
}
