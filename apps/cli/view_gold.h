// SPDX-License-Identifier: Apache-2.0
// The alignment bench of `heed view`: heads against gold links, one system or two.
#pragma once

#include <string>

#include "cli/view_input.h"
#include "heed/base/options.h"
#include "heed/insight/trace/trace_document.h"

namespace heed::cli {

struct ViewGold {
  std::string gold;
  int first_word = 0;
  std::string beside;
  std::string kind = "cross";
  bool json = false;

  void declare(Options& list);
  bool wanted() const { return !gold.empty(); }
  // Prints the table, and gives each example its gold links where they fit its words. `input` reads
  // the second system.
  void compare(insight::TraceDocument& document, const ViewInput& input) const;
};

}  // namespace heed::cli
