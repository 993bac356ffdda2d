// SPDX-License-Identifier: Apache-2.0
// Pages are made from what verbs declare; verbs are found by their first one or two words.
#include "cli/verb_help.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

struct Listed {
  std::string_view name;
  std::string_view summary;
};

std::string list_of(const std::vector<Listed>& rows) {
  std::size_t width = 0;
  for (const Listed& row : rows) width = std::max(width, row.name.size());
  std::string text;
  for (const Listed& row : rows) {
    text += fmt::format("  {}  {}\n", pad_right(std::string(row.name), width), row.summary);
  }
  return text;
}

}  // namespace

HelpPage opening_of(const Verb& verb) {
  HelpPage page{.name = fmt::format("heed {}", verb.name),
                .summary = verb.summary,
                .description = verb.description};
  for (const std::string_view line : split(verb.example, '\n')) page.examples.emplace_back(line);
  return page;
}

HelpPage page_of(const Verb& verb) {
  CommandLine line(opening_of(verb));
  const Action action = verb.setup(line);  // keeps what the rows describe
  return line.help();
}

std::string overview() {
  std::vector<Listed> rows;
  for (const Verb& verb : verbs()) rows.push_back({verb.name, verb.summary});
  return "heed: attention in C++\n\nUsage:\n  heed VERB [OPTIONS]\n  heed help VERB\n"
         "  heed --version\n\nVerbs:\n" +
         list_of(rows) + "\nExamples:\n  heed demo\n  heed help train translate\n  heed topics\n";
}

std::vector<std::string> tasks_of(std::string_view first) {
  std::vector<std::string> tasks;
  for (const Verb& verb : verbs()) {
    const auto words = split(verb.name, ' ');
    if (words.size() == 2 && words[0] == first) tasks.emplace_back(words[1]);
  }
  return tasks;
}

std::string overview_of_tasks(std::string_view first) {
  std::vector<Listed> rows;
  std::string example;
  for (const Verb& verb : verbs()) {
    if (!verb.name.starts_with(fmt::format("{} ", first))) continue;
    rows.push_back({verb.name, verb.summary});
    if (example.empty()) example = verb.name;
  }
  return fmt::format(
      "heed {} - one verb for each task\n\nUsage:\n  heed {} TASK [OPTIONS]\n"
      "  heed {} --config RECIPE [OPTIONS]\n\nTasks:\n{}\n"
      "A recipe, which `heed recipes` lists, names its task itself.\n\nExample:\n  heed help {}\n",
      first, first, first, list_of(rows), example);
}

FoundVerb find_verb(std::span<const std::string> words) {
  const std::string& first = words.front();
  const std::string both = words.size() > 1 ? fmt::format("{} {}", first, words[1]) : first;
  std::vector<std::string> names = {"--version"};  // what other programs take as a verb
  for (const Verb& verb : verbs()) {
    if (verb.name == first) return {&verb, 1};
    if (verb.name == both) return {&verb, 2};
    names.emplace_back(split(verb.name, ' ').front());
  }
  const std::vector<std::string> tasks = tasks_of(first);
  if (tasks.empty()) {
    throw UsageError("there is no verb \"{}\"{}; `heed` alone lists them", first,
                     did_you_mean(first, names));
  }
  if (words.size() > 1 && !words[1].starts_with('-')) {
    throw UsageError("there is no task \"{}\"{}; `heed {}` takes one of {}", words[1],
                     did_you_mean(words[1], tasks), first, join(tasks, ", "));
  }
  return {nullptr, 1};
}

}  // namespace heed::cli
