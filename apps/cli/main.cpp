// SPDX-License-Identifier: Apache-2.0
// The program `heed`: finds the verb, runs it, turns an error into a message and an exit code.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/pipeline/recipe.h"

namespace heed::cli {
namespace {

constexpr std::string_view kOutOfMemory =
    "out of memory; take a smaller --batch-tokens, --tracks, --longest, --max-length or --window, "
    "or a smaller model; with `coverage`, `location_aware` and `alignment_rnn`, which go query by "
    "query, a shorter text";
constexpr int kBugExit = 70;          // EX_SOFTWARE of sysexits.h
constexpr int kBrokenPipeExit = 141;  // 128 + SIGPIPE, what a shell reports for the signal itself

std::string overview() {
  std::size_t width = 0;
  for (const Verb& verb : verbs()) width = std::max(width, verb.name.size());
  std::string text =
      "heed: attention in C++\n\nUsage: heed VERB [OPTIONS]\n       heed VERB --help\n"
      "       heed --version\n\nVerbs:\n";
  for (const Verb& verb : verbs()) {
    text += fmt::format("  {}  {}\n", pad_right(verb.name, width), verb.summary);
  }
  if (!verbs().empty()) {
    text += fmt::format("\nExample:\n  {}\n", split(verbs().front().example, '\n').front());
  }
  return text;
}

// A verb may have two words, the second its task: `heed train translate`. The number of arguments
// that name it, and the verb.
struct Found {
  const Verb& verb;
  int words;
};

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

Found find_verb(std::span<char* const> arguments) {
  const std::string first = arguments.front();
  const std::string both = arguments.size() > 1 ? fmt::format("{} {}", first, arguments[1]) : first;
  std::vector<std::string> names;
  std::vector<std::string> tasks;
  for (const Verb& verb : verbs()) {
    if (verb.name == first) return {verb, 1};
    if (verb.name == both) return {verb, 2};
    const std::string_view word = split(verb.name, ' ').front();
    names.emplace_back(word);
    if (word == first) tasks.push_back(fmt::format("heed {}", verb.name));
  }
  if (!tasks.empty()) {
    const std::string whole = fmt::format("{} {}", first, task_of_recipe(arguments));
    const auto verb = std::ranges::find(verbs(), whole, &Verb::name);
    if (verb != verbs().end()) return {*verb, 1};
    throw UsageError("`heed {}` takes a task, or a recipe as --config: {}", first,
                     join(tasks, ", "));
  }
  throw UsageError("there is no verb \"{}\"{}; `heed` alone lists them", first,
                   did_you_mean(first, names));
}

// Help starts with commands that work, since most people read no further.
std::string help_opening(const Verb& verb) {
  std::string text = "Example:\n";
  for (std::string_view line : split(verb.example, '\n')) text += fmt::format("  {}\n", line);
  return fmt::format("{}\n{}", text,
                     verb.description.empty() ? verb.summary + "." : verb.description);
}

void run_verb(const Verb& verb, int argc, char** argv) {
  CommandLine line(help_opening(verb), fmt::format("heed {}", verb.name));
  const Action action = verb.setup(line);
  if (!line.parse(argc, argv)) return;
  if (const char* asked = std::getenv("HEED_THREADS"); asked != nullptr) parse_threads(asked);
  action();
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
    const Found found = find_verb(std::span(argv + 1, static_cast<std::size_t>(argc - 1)));
    run_verb(found.verb, argc - found.words, argv + found.words);
  }
  // Output still in the buffer may fail now; fmt reports what failed earlier in the same way.
  flush_output();
}

// Errors name the verb they come from: "heed tensors: ...".
int guarded(int argc, char** argv) {
  const bool named = argc > 1 && std::ranges::any_of(verbs(), [&](const Verb& verb) {
                       return split(verb.name, ' ').front() == argv[1];
                     });
  const std::string who = named ? fmt::format("heed {}", argv[1]) : "heed";
  const auto complain = [&](std::string_view message, int code) {
    std::fflush(stdout);
    std::fputs(fmt::format("{}: {}\n", who, message).c_str(), stderr);
    return code;
  };
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
