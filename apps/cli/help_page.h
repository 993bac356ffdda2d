// SPDX-License-Identifier: Apache-2.0
// What help says of a verb, as text for the terminal and as a manual page.
#pragma once

#include <string>
#include <vector>

namespace heed::cli {

// The last section of every page: what each verb has.
inline constexpr const char* kGeneral = "General";

// One argument or option, as a reader sees it.
struct HelpRow {
  std::string names = {};         // "-o, --out", "--[no-]shuffle", "TRACE_OR_MODEL"
  std::string kind = {};          // of its value: "FOLDER", "adam|sgd"; empty: it takes none
  std::string help = {};          // a sentence without a full stop
  std::string default_text = {};  // in plain words; empty: none worth a word
  std::string section = {};       // the heading it stands under
  bool required = false;
};

struct HelpPage {
  std::string name = {};                   // "heed train translate"
  std::string summary = {};                // one line
  std::string description = {};            // sentences; may be empty
  std::vector<std::string> examples = {};  // whole command lines
  std::vector<HelpRow> rows = {};
};

// Summary, usage, description, the rows by section with the required ones first, and the examples,
// no line longer than this.
std::string help_text(const HelpPage& page, std::size_t width = 100);

// The same in roff, for man(1).
std::string manual_page(const HelpPage& page, const std::string& version);

}  // namespace heed::cli
