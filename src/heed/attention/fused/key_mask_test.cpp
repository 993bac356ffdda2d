// SPDX-License-Identifier: Apache-2.0
// Words of allowed keys against the runs of the pattern, key by key.
#include "heed/attention/fused/key_mask.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "heed/attention/make_parts.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/written/catalogue.h"
#include "heed/attention/written/spec.h"

namespace heed::attention {
namespace {

TEST(KeyMask, HasABitForEveryKeyOfTheRuns) {
  constexpr std::int64_t kKeys = 200, kQueries = 150;
  for (const std::string text :
       {"full", "causal", "window(17)", "dilated(window=9, step=3)", "strided(stride=7)",
        "random_blocks(size=8)", "(window(5) | globals(2))"}) {
    SCOPED_TRACE(text);
    const std::string written = "dot | " + text;
    const Spec spec = parse_spec(written);
    const std::shared_ptr<const BoundPattern> bound =
        make_pattern(spec.groups[0].mechanism.pattern, spec.text)
            ->bind({.queries = kQueries, .keys = kKeys});
    FirstException failure;
    const PatternMask mask(bound, failure);
    const std::vector<std::size_t> tiles{0, 64, 192};
    std::vector<std::uint64_t> words(tiles.size());
    std::vector<KeyRun> runs;
    for (std::int64_t q = 0; q < kQueries; ++q) {
      mask.allowed(0, 0, static_cast<std::size_t>(q), tiles, words.data());
      bound->runs(0, 0, q, runs);
      std::vector<bool> seen(256);
      for (const KeyRun& run : runs) {
        for (std::int64_t key = run.begin; key < run.end; key += run.step)
          seen[static_cast<std::size_t>(key)] = true;
      }
      for (std::size_t i = 0; i < tiles.size(); ++i) {
        for (std::size_t c = 0; c < 64; ++c) {
          ASSERT_EQ((words[i] >> c & 1) != 0, seen[tiles[i] + c])
              << "query " << q << " key " << tiles[i] + c;
        }
      }
    }
  }
}

}  // namespace
}  // namespace heed::attention
