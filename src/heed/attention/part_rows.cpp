// SPDX-License-Identifier: Apache-2.0
// Rows from the parts' own cards and options.
#include "heed/attention/part_rows.h"

#include <utility>

#include "heed/attention/addressing.h"
#include "heed/attention/bias.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/score.h"
#include "heed/attention/whole.h"

namespace heed::attention {
namespace {

template <typename Interface>
void add_parts(const std::string& kind, std::vector<PartRow>& rows) {
  for (const auto& entry : Catalogue<Interface>::entries()) {
    PartRow row{kind, entry.card, {}};
    const auto part = entry.make();
    Options options;
    part->declare(options);
    for (const Option& option : options.all()) {
      row.options.push_back(
          {option.name(), option.value(), option.default_text(), option.wants(), option.help()});
    }
    rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<PartRow> part_rows() {
  std::vector<PartRow> rows;
  add_parts<Score>("score", rows);
  add_parts<Bias>("bias", rows);
  add_parts<NamedPattern>("pattern", rows);
  add_parts<Normaliser>("normaliser", rows);
  add_parts<Addressing>("addressing part", rows);
  add_parts<WholeAttention>("whole mechanism", rows);
  return rows;
}

}  // namespace heed::attention
