// SPDX-License-Identifier: Apache-2.0
// A table of three rows.
#include "cli/region_table.h"

#include <fmt/format.h>

namespace heed::cli {

std::string region_table(const metrics::RegionScore& score) {
  return fmt::format(
      "weights of {} looks\n"
      "                      mass inside  pointing\n"
      "of the model          {:11.3f}  {:8.3f}\n"
      "all alike             {:11.3f}  {:8.3f}\n"
      "a bell in the middle  {:11.3f}  {:8.3f}\n",
      score.looks(), score.mass(), score.pointing(), score.uniform_mass(), score.uniform_pointing(),
      score.centre_mass(), score.centre_pointing());
}

void add_regions(nlohmann::ordered_json& object, const metrics::RegionScore& score) {
  object["mass"] = score.mass();
  object["pointing"] = score.pointing();
  object["uniform"] = {{"mass", score.uniform_mass()}, {"pointing", score.uniform_pointing()}};
  object["centre"] = {{"mass", score.centre_mass()}, {"pointing", score.centre_pointing()}};
}

}  // namespace heed::cli
