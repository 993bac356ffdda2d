// SPDX-License-Identifier: Apache-2.0
// `heed help`: the list of verbs, the page of one, or manual pages of all.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/verb_help.h"
#include "heed/base/error.h"
#include "heed/base/file.h"

namespace heed::cli {
namespace {

struct HelpVerb {
  std::vector<std::string> words;
  std::string manual;
  Options list;

  HelpVerb() {
    list.add("manual", manual, "write a manual page of each verb, for man, to this folder")
        .kind("FOLDER");
  }
};

std::string manual_of_program() {
  HelpPage page{.name = "heed", .summary = "attention in C++", .examples = {"heed demo"}};
  page.description =
      "Builds attention mechanisms, trains models with them, runs them, and shows where they look.";
  for (const Verb& verb : verbs()) {
    page.rows.push_back({.names = verb.name, .help = verb.summary, .section = "VERBS"});
  }
  return manual_page(page, HEED_VERSION);
}

void write_manual(const std::string& folder) {
  make_folder(folder);
  const std::filesystem::path place = folder;
  write_atomically(place / "heed.1", manual_of_program());
  for (const Verb& verb : verbs()) {
    std::string name = verb.name;
    std::ranges::replace(name, ' ', '-');
    write_atomically(place / fmt::format("heed-{}.1", name),
                     manual_page(page_of(verb), HEED_VERSION));
  }
  fmt::print("{}: {} manual pages\n", folder, verbs().size() + 1);
}

void run(const HelpVerb& asked) {
  if (!asked.manual.empty()) return write_manual(asked.manual);
  if (asked.words.empty()) {
    fmt::print("{}", overview());
    return;
  }
  const FoundVerb found = find_verb(asked.words);
  if (found.verb == nullptr) {
    fmt::print("{}", overview_of_tasks(asked.words.front()));
    return;
  }
  if (static_cast<std::size_t>(found.words) < asked.words.size()) {
    throw UsageError("there is no use for \"{}\" after heed help {}",
                     asked.words[static_cast<std::size_t>(found.words)], found.verb->name);
  }
  fmt::print("{}", help_text(page_of(*found.verb)));
}

Action set_up(CommandLine& line) {
  auto asked = std::make_shared<HelpVerb>();
  line.add("VERB", asked->words, "the verb, in one word or two; none: the list of them").kind("");
  return line.with_options(asked->list, [asked] { run(*asked); });
}

const ListedVerb kListed(
    {.name = "help",
     .summary = "Explain a verb and its options",
     .description = "The same as `heed VERB --help`. Manual pages of all verbs "
                    "are installed by `make install`.",
     .example = "heed help train translate\nheed help --manual man1",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
