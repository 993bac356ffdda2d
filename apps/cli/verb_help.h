// SPDX-License-Identifier: Apache-2.0
// What the program says of its verbs: the list of them, the tasks of one, the page of one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/help_page.h"
#include "cli/verb.h"

namespace heed::cli {

// The page of a verb without its rows, which its command line adds.
HelpPage opening_of(const Verb& verb);
// With its rows: the verb is set up and not run.
HelpPage page_of(const Verb& verb);

// What `heed` alone prints.
std::string overview();

// The tasks of a verb of two words: "train" has "classify", "translate", ...; none for others.
std::vector<std::string> tasks_of(std::string_view first);
// What `heed train --help` prints.
std::string overview_of_tasks(std::string_view first);

// The verb that the first of these words name, one or two of them, and how many do.
struct FoundVerb {
  const Verb* verb = nullptr;  // null: none of its tasks is named
  int words = 0;
};
// UsageError with the nearest name when there is no such verb, or no such task.
FoundVerb find_verb(std::span<const std::string> words);

}  // namespace heed::cli
