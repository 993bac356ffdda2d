// SPDX-License-Identifier: Apache-2.0
// Facts only: all of them are in the folder's other files or were measured when it was saved.
#include "heed/pipeline/model_card.h"

#include <fmt/format.h>

namespace heed::pipeline {

std::string ModelCard::text() const {
  std::string card =
      fmt::format("# {}\n\n{} made by heed {}.\n\n| | |\n|---|---|\n", title, kind, HEED_VERSION);
  for (const auto& [name, value] : facts) card += fmt::format("| {} | {} |\n", name, value);
  for (const auto& [name, value] : measured) {
    card += fmt::format("| validation {} | {:.4g} |\n", name, value);
  }
  return card + fmt::format(
                    "\nUse it:\n\n    {}\n\n"
                    "Every option of its training is in config.toml.\n",
                    use);
}

}  // namespace heed::pipeline
