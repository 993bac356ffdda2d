// SPDX-License-Identifier: Apache-2.0
// ListedCorpus: a corpus lists itself in the file that draws its examples; nothing else names it.
//
//   const ListedCorpus kDates({.name = "dates", .description = "..."},
//                             [](Random& random, const CorpusDraw&) { return draw_date(random); });
#pragma once

#include <cstdint>
#include <vector>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"
#include "heed/corpora/made_names.h"

namespace heed::corpora {

// What the next example is to be.
struct CorpusDraw {
  struct Lengths {
    std::int64_t min = 0;
    std::int64_t max = 0;
  };
  Lengths lengths = {};  // of its source in words
  Part part = Part::train;
  std::int64_t turn = 0;  // counts the examples of a part: what depends on it alone is balanced
  std::vector<std::int64_t> settings = {};  // in the order of the card

  using Function = Example (*)(Random&, const CorpusDraw&);
};

struct ListedCorpus {
  ListedCorpus(const CorpusCard& card, CorpusDraw::Function draw);
};

}  // namespace heed::corpora
