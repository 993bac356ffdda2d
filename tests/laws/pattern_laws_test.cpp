// SPDX-License-Identifier: Apache-2.0
// Laws of patterns, run over the whole catalogue: tiles agree with rows, a step against a cache
// sees what the row of the full computation sees, & and | follow boolean algebra.
#include <set>

#include "heed/attention/patterns/pattern_algebra.h"
#include "heed/attention/patterns/testing.h"
#include "heed/attention/settings_testing.h"
#include "heed/base/error.h"
#include "part_folder.h"

namespace heed::attention::test {
namespace {

constexpr std::int64_t kBatch = 2;
constexpr std::int64_t kHeads = 2;

// A call with random data of every kind, so that each pattern finds what it needs.
struct Data {
  std::vector<std::int32_t> lengths;
  std::vector<std::int32_t> query_segments;
  std::vector<std::int32_t> key_segments;
  std::vector<std::uint8_t> mask;
  std::vector<double> centres;
  PatternCall call;

  Data(std::int64_t queries, std::int64_t keys, std::int64_t first_query, std::uint64_t seed) {
    Random random(seed);
    const auto fill = [&](auto& values, std::int64_t size, std::int64_t below) {
      values.resize(static_cast<std::size_t>(size));
      for (auto& value : values) {
        value = static_cast<std::decay_t<decltype(value)>>(random.integer(below));
      }
    };
    fill(lengths, kBatch, keys + 10);  // some longer than the keys
    lengths[0] = 0;
    fill(query_segments, kBatch * queries, 3);
    fill(key_segments, kBatch * keys, 3);
    fill(mask, kBatch * kHeads * queries * keys, 2);
    fill(centres, kBatch * kHeads * queries, keys + 5);
    call = {.batch = kBatch,
            .heads = kHeads,
            .queries = queries,
            .keys = keys,
            .first_query = first_query};
    bind_data();
  }
  void bind_data() {
    call.lengths = lengths;
    call.query_segments = query_segments;
    call.key_segments = key_segments;
    call.mask = mask;
    call.mask_batch = kBatch;
    call.mask_heads = kHeads;
    call.centres = centres;
  }
};

// One query of a call, and its first `keys` keys, as a step against a cache gets them.
Data step_of(const Data& whole, std::int64_t query, std::int64_t keys) {
  const PatternCall& all = whole.call;
  Data step(1, keys, all.first_query + query, 0);
  step.lengths = whole.lengths;
  for (std::int64_t b = 0; b < kBatch; ++b) {
    step.query_segments[b] = whole.query_segments[b * all.queries + query];
    for (std::int64_t k = 0; k < keys; ++k) {
      step.key_segments[b * keys + k] = whole.key_segments[b * all.keys + k];
    }
    for (std::int64_t h = b * kHeads; h < (b + 1) * kHeads; ++h) {
      step.centres[h] = whole.centres[h * all.queries + query];
      for (std::int64_t k = 0; k < keys; ++k) {
        step.mask[h * keys + k] = whole.mask[(h * all.queries + query) * all.keys + k];
      }
    }
  }
  step.call.total_queries = all.all_queries();
  step.call.total_keys = all.all_keys();
  step.bind_data();
  return step;
}

// A pattern of the catalogue, its options set to small random values they take.
std::unique_ptr<Pattern> varied(const Catalogue<NamedPattern>::Entry& entry, std::uint64_t seed) {
  Random random(seed);
  auto pattern = entry.make();
  Options options;
  pattern->declare(options);
  // A list stands in place of other options (globals): one setting in two has it alone.
  const bool lists = seed % 2 == 1 && std::ranges::any_of(options.all(), &Option::is_list);
  for (const Option& option : options.all()) {
    if (option.is_list() != lists) continue;
    std::string word = fmt::to_string(1 + random.integer(9));
    if (!option.names().empty()) word = option.names()[random.integer(option.names().size())];
    const std::vector<std::string> words = {word};
    options.set(option.name(), words);
  }
  return pattern;
}

class PatternLaws : public testing::TestWithParam<std::string> {
 protected:
  // Calls visit(pattern) for several settings of its options that can be bound.
  template <typename Visit>
  void for_each_setting(Visit&& visit) const {
    const auto* entry = Catalogue<NamedPattern>::find(GetParam());
    ASSERT_NE(entry, nullptr);
    int bound = 0;
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      const auto pattern = varied(*entry, seed);
      const Data data(3, 4, 0, seed);
      try {
        pattern->bind(data.call);
      } catch (const UsageError&) {
        continue;  // such as fixed with more summaries than a block has
      }
      ++bound;
      SCOPED_TRACE(pattern->written());
      visit(*pattern);
    }
    EXPECT_GE(bound, 3);
  }
};

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : Catalogue<NamedPattern>::entries()) names.push_back(entry.card.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, PatternLaws, testing::ValuesIn(names()),
                         [](const auto& info) { return info.param; });

TEST_P(PatternLaws, ReadsTheDataThatItsCardNamesAndNoOther) {
  const auto answers = [](const Pattern& pattern, const PatternCall& call) {
    std::vector<KeyRun> runs;
    std::string text;
    const auto bound = pattern.bind(call);
    for (std::int64_t row = 0; row < kBatch * kHeads * call.queries; ++row) {
      bound->runs(row / call.queries / kHeads, row / call.queries % kHeads, row % call.queries,
                  runs);
      for (const KeyRun& run : runs) text += fmt::format("{}-{}/{} ", run.begin, run.end, run.step);
      text += "\n";
    }
    return text;
  };
  std::set<Given> read;
  for_each_setting([&](const Pattern& pattern) {
    Data data(5, 9, 0, 1);
    const std::string all = answers(pattern, data.call);
    // The same call without this data; a pattern may refuse it then.
    const auto without = [&](Given given, auto forget) {
      PatternCall less = data.call;
      forget(less);
      std::string answer = "refused";
      try {
        answer = answers(pattern, less);
      } catch (const UsageError&) {
      }
      if (answer != all) read.insert(given);
      EXPECT_TRUE(answer == all || pattern.reads(given)) << "it reads what its card does not name";
    };
    without(Given::lengths, [](PatternCall& call) { call.lengths = {}; });
    without(Given::segments,
            [](PatternCall& call) { call.query_segments = call.key_segments = {}; });
    without(Given::mask, [](PatternCall& call) { call.mask = {}; });
    without(Given::centres, [](PatternCall& call) { call.centres = {}; });
  });
  const auto& named = Catalogue<NamedPattern>::find(GetParam())->card.reads;
  EXPECT_EQ(read, std::set<Given>(named.begin(), named.end()));
}

TEST_P(PatternLaws, PromisesFirstKeysWhereItShowsNoOthers) {
  bool kept = true;
  for_each_setting([&](const Pattern& pattern) {
    for (const std::int64_t first : {0, 3}) {
      Data data(12, 400, first, 2);
      const auto bound = pattern.bind(data.call);
      std::vector<KeyRun> runs;
      for (std::int64_t row = 0; row < kBatch * kHeads * 12; ++row) {
        bound->runs(row / 12 / kHeads, row / 12 % kHeads, row % 12, runs);
        kept &= runs.empty() ||
                (runs.size() == 1 && runs[0].begin == 0 && (runs[0].step == 1 || runs[0].end == 1));
      }
    }
  });
  EXPECT_EQ(Catalogue<NamedPattern>::find(GetParam())->make()->shows_first_keys(), kept);
}

// A step that knows how many keys there will be sees fewer or other ones only where it counts them.
TEST_P(PatternLaws, SaysWhetherItCountsTheKeysThatComeAfter) {
  bool counts = false, changes = false;
  const auto try_one = [&](const Pattern& pattern) {
    Data data(6, 7, 0, 3);
    const Mask before = mask_of(pattern, data.call, 1, 1);
    for (const std::int64_t total : {11, 30, 300}) {
      data.call.total_keys = total;
      const bool changed = mask_of(pattern, data.call, 1, 1) != before;
      EXPECT_TRUE(!changed || pattern.counts_keys()) << pattern.written();
      changes |= changed;
    }
    counts |= pattern.counts_keys();
  };
  for (const std::string& setting : settings_of(Catalogue<NamedPattern>::find(GetParam())->card)) {
    try_one(*pattern_of(setting));
  }
  for_each_setting(try_one);
  EXPECT_EQ(counts, changes);
}

TEST_P(PatternLaws, IsWrittenAsItsExamplesAre) {
  for (const std::string& setting : settings_of(Catalogue<NamedPattern>::find(GetParam())->card)) {
    EXPECT_EQ(pattern_of(setting)->written(), setting);
  }
}

TEST(PatternCatalogue, HoldsTheFilesOfItsFolder) {
  const std::set<std::string> files = heed::test::parts_in("src/heed/attention/patterns");
  const std::vector<std::string> listed = names();
  EXPECT_GE(listed.size(), 16u);
  EXPECT_EQ(std::set<std::string>(listed.begin(), listed.end()), files);
  EXPECT_EQ(listed.size(), files.size()) << "one is listed twice";
}

TEST_P(PatternLaws, TheCardSaysEverything) {
  const Card& card = Catalogue<NamedPattern>::find(GetParam())->card;
  EXPECT_TRUE(card.summary.ends_with('.')) << card.summary;
  EXPECT_FALSE(card.formula.empty());
  EXPECT_FALSE(card.source.empty());
}

TEST_P(PatternLaws, TilesAgreeWithRows) {
  for_each_setting([](const Pattern& pattern) {
    for (const std::int64_t queries : {0, 1, 3, 17, 70}) {
      for (const std::int64_t keys : {0, 1, 5, 31, 64, 70}) {
        for (const std::int64_t first : {0, 3, 50}) {
          const Data data(queries, keys, first, queries + 100 * keys);
          const auto bound = pattern.bind(data.call);
          for (std::int64_t b = 0; b < kBatch; ++b) {
            const Mask mask = mask_of(pattern, data.call, b, b);
            for_each_tile(data.call, [&](Range q, Range k) {
              const TileCover said = bound->classify(b, b, q, k);
              EXPECT_TRUE(said == TileCover::mixed || said == cover_of(mask, q, k))
                  << "queries " << q.begin << " to " << q.end << " of " << queries << ", keys "
                  << k.begin << " to " << k.end << " of " << keys;
            });
          }
        }
      }
    }
  });
}

TEST_P(PatternLaws, WhatIsSaidToBeAlikeIsAlike) {
  for_each_setting([](const Pattern& pattern) {
    const Data data(40, 50, 3, 7);
    const auto bound = pattern.bind(data.call);
    for (std::int64_t b = 0; b < kBatch; ++b) {
      for (std::int64_t h = 0; h < kHeads; ++h) {
        const std::int64_t like_b = bound->alike_in_batch() ? 0 : b;
        const std::int64_t like_h = bound->alike_in_heads() ? 0 : h;
        EXPECT_EQ(mask_of(pattern, data.call, b, h), mask_of(pattern, data.call, like_b, like_h));
      }
    }
  });
}

TEST_P(PatternLaws, AStepSeesWhatTheRowOfTheFullComputationSees) {
  for_each_setting([](const Pattern& pattern) {
    for (const auto& [queries, keys] :
         {std::pair<std::int64_t, std::int64_t>{20, 20}, {9, 31}, {31, 9}}) {
      const Data whole(queries, keys, 0, 5);
      for (std::int64_t query = 0; query < queries; ++query) {
        const Data step = step_of(whole, query, keys);
        for (std::int64_t b = 0; b < kBatch; ++b) {
          EXPECT_EQ(mask_of(pattern, step.call, b, 1)[0],
                    mask_of(pattern, whole.call, b, 1)[static_cast<std::size_t>(query)])
              << "query " << query;
        }
      }
    }
  });
}

TEST_P(PatternLaws, ACacheThatGrowsShowsTheKeysItHasOfTheFullRow) {
  for_each_setting([](const Pattern& pattern) {
    const Data whole(23, 23, 0, 6);
    for (std::int64_t query = 0; query < 23; ++query) {
      const Data step = step_of(whole, query, query + 1);
      for (std::int64_t b = 0; b < kBatch; ++b) {
        auto row = mask_of(pattern, whole.call, b, 0)[static_cast<std::size_t>(query)];
        row.resize(static_cast<std::size_t>(query) + 1);
        EXPECT_EQ(mask_of(pattern, step.call, b, 0)[0], row) << "query " << query;
      }
    }
  });
}

TEST_P(PatternLaws, ACloneIsWrittenAndSeesTheSame) {
  for_each_setting([](const Pattern& pattern) {
    const Data data(11, 13, 2, 7);
    const auto clone = pattern.clone();
    EXPECT_EQ(clone->written(), pattern.written());
    EXPECT_EQ(mask_of(*clone, data.call), mask_of(pattern, data.call));
  });
}

// Every law for all pairs, the third pattern taken in turn.
TEST_P(PatternLaws, AndAndOrFollowBooleanAlgebra) {
  const Data data(19, 37, 9, 8);
  const auto& entries = Catalogue<NamedPattern>::entries();
  for_each_setting([&](const Pattern& a) {
    const auto same = [&](const char* law, std::unique_ptr<Pattern> left,
                          std::unique_ptr<Pattern> right) {
      EXPECT_EQ(mask_of(*left, data.call, 1, 1), mask_of(*right, data.call, 1, 1))
          << law << ": " << left->written() << " and " << right->written();
    };
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto make_b = [&] { return entries[i].make(); };
      const auto make_c = [&] { return varied(entries[(i + 5) % entries.size()], 2); };
      const auto make_a = [&] { return a.clone(); };
      // One that cannot be bound with these options has no mask to compare.
      try {
        make_c()->bind(data.call);
      } catch (const UsageError&) {
        continue;
      }
      same("commutes", both(make_a(), make_c()), both(make_c(), make_a()));
      same("commutes", either(make_a(), make_c()), either(make_c(), make_a()));
      same("associates", both(both(make_a(), make_b()), make_c()),
           both(make_a(), both(make_b(), make_c())));
      same("associates", either(either(make_a(), make_b()), make_c()),
           either(make_a(), either(make_b(), make_c())));
      same("absorbs", both(make_a(), either(make_a(), make_c())), make_a());
      same("absorbs", either(make_a(), both(make_a(), make_c())), make_a());
      same("distributes", both(make_a(), either(make_b(), make_c())),
           either(both(make_a(), make_b()), both(make_a(), make_c())));
      same("distributes", either(make_a(), both(make_b(), make_c())),
           both(either(make_a(), make_b()), either(make_a(), make_c())));
    }
    same("is idempotent", both(a.clone(), a.clone()), a.clone());
    same("is idempotent", either(a.clone(), a.clone()), a.clone());
    same("has the identity full", both(a.clone(), make_pattern("full")), a.clone());
    same("is bounded by full", either(a.clone(), make_pattern("full")), make_pattern("full"));
    const auto none = [] { return make_pattern("globals", {{"count", "0"}}); };
    same("has an identity", either(a.clone(), none()), a.clone());
    same("is bounded by nothing", both(a.clone(), none()), none());
  });
}

TEST_P(PatternLaws, CombinationsClassifyTilesAsTheirRowsSay) {
  const Data data(40, 45, 3, 9);
  const auto& entries = Catalogue<NamedPattern>::entries();
  std::size_t next = 0;
  for_each_setting([&](const Pattern& pattern) {
    for (const bool meet : {true, false}) {
      // Another of the catalogue each time, with what its card shows where it shows something.
      auto other = pattern_of(settings_of(entries[next++ % entries.size()].card).back());
      const auto combination = meet ? both(pattern.clone(), std::move(other))
                                    : either(pattern.clone(), std::move(other));
      const auto bound = combination->bind(data.call);
      const Mask mask = mask_of(*combination, data.call, 1, 0);
      for_each_tile(data.call, [&](Range q, Range k) {
        const TileCover said = bound->classify(1, 0, q, k);
        EXPECT_TRUE(said == TileCover::mixed || said == cover_of(mask, q, k))
            << combination->written();
      });
    }
  });
}

}  // namespace
}  // namespace heed::attention::test
