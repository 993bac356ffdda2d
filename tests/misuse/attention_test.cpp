// SPDX-License-Identifier: Apache-2.0
// Misuses of mechanisms, their memories and their parts.
#include <limits>
#include <stdexcept>

#include "heed/attention/given_testing.h"
#include "heed/attention/hierarchical.h"
#include "heed/attention/make_parts.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/multi_head.h"
#include "heed/attention/normalise.h"
#include "heed/attention/normaliser.h"
#include "heed/attention/patterns/own_pattern.h"
#include "heed/attention/positions.h"
#include "heed/autograd/ops.h"
#include "heed/tensor/testing.h"
#include "misuse.h"

namespace heed::misuse {
namespace {

using namespace attention;

constexpr MechanismShape kShape{.query_width = 4, .key_width = 4, .value_width = 4};
const Tensor kQuery = heed::testing::wavy({2, 1, 3, 4});
const Tensor kKeys = heed::testing::wavy({2, 1, 5, 4}, 1);

Mechanism made(const std::string& text, const MechanismShape& shape = kShape) {
  Random random(1);
  return Mechanism(text, shape, random);
}

// One call with this data, in the fused kernel or in the composition.
void attend(const std::string& text, const GivenData& data) {
  const Mechanism look = made(text);
  look.attend(kQuery, look.memory(kKeys, kKeys, data.of_keys()), {}, {.given = data.of_queries()});
}

std::unique_ptr<Normaliser> normaliser(const std::string& name) {
  return Catalogue<Normaliser>::find(name)->make();
}

TEST(MisuseOfMechanisms, IsRefused) {
  const auto wrong = [](const std::string& text, std::vector<std::string> says) {
    return Misuse{text.empty() ? "no text" : text, [text] { made(text); }, std::move(says)};
  };
  expect_refused({
      wrong("", {"score"}),
      wrong("scaled_dott", {"scaled_dot"}),
      wrong("dot | causal | softmaxx", {"softmax"}),
      wrong("alibi", {"score"}),
      wrong("dot | window(-1)", {"-1"}),
      wrong("dot | full | entmax(alpha=0.5)", {"alpha"}),
      wrong("dot | full | entmax(beta=2)", {"beta", "alpha"}),
      wrong("dot | full | softmax | softmax", {"softmax"}),
      wrong("2x(dot); 1x(dot)", {"3", "1"}),
      wrong("additive | causal & local_p", {"centres", "additive + gaussian | causal & local_p"}),
      {"no widths", [] { made("scaled_dot", {}); }, {"query 0", "1 or more"}},
      {"heads that do not divide",
       [] {
         made("dot",
              {.query_width = 4, .key_width = 4, .value_width = 4, .heads = 3, .key_heads = 2});
       },
       {"3 heads", "2"}},
      {"widths that a dot product cannot join",
       [] { made("dot", {.query_width = 4, .key_width = 6, .value_width = 4}); },
       {"4", "6"}},
      {"heads that do not divide the width",
       [] {
         Random random(1);
         MultiHead({.query_width = 6, .heads = 4}, random);
       },
       {"6", "4"}},
  });
}

TEST(MisuseOfMemories, IsRefused) {
  const Mechanism look = made("scaled_dot");
  const Mechanism other = made("scaled_dot");
  const Mechanism wide =
      made("scaled_dot", {.query_width = 64, .key_width = 64, .value_width = 64});
  const Mechanism heads = made("2x(dot); 2x(scaled_dot)",
                               {.query_width = 4, .key_width = 4, .value_width = 4, .heads = 4});
  const Memory memory = look.memory(kKeys, kKeys);
  const Tensor wide_query = Tensor::zeros({2, 1, 3, 64});
  expect_refused({
      {"keys of another width", [&] { wide.memory(kKeys, kKeys); }, {"[2,1,5,4]", "64"}},
      {"fewer values than keys",
       [&] { look.memory(kKeys, kKeys.slice(2, 0, 4)); },
       {"[2,1,5,4]", "[2,1,4,4]"}},
      {"keys that are not defined", [&] { look.memory({}, {}); }, {"keys", "[B,1,K,4]"}},
      {"a memory of a wider mechanism",
       [&] { wide.attend(wide_query, memory); },
       {"another mechanism", "[2,1,5,4]", "64"}},
      {"a memory of another mechanism of the same shape",
       [&] { other.attend(kQuery, memory); },
       {"another mechanism"}},
      {"a memory of other heads",
       [&] {
         heads.attend(Tensor::zeros({2, 4, 3, 4}), memory);
       },
       {"another mechanism"}},
      {"a memory that was never made", [&] { look.attend(kQuery, Memory{}); }, {"memory()"}},
      {"growing the memory of another",
       [&] { other.grown(memory, kKeys, kKeys); },
       {"another mechanism"}},
      {"a query of another width", [&] { look.attend(wide_query, memory); }, {"[2,1,3,64]", "4"}},
      {"a query of another batch",
       [&] { look.attend(kQuery.slice(0, 0, 1), memory); },
       {"[1,1,3,4]", "2"}},
      {"a query that is not defined", [&] { look.attend({}, memory); }, {"query"}},
      {"rows beyond the batch",
       [&] { memory.reordered(Ids::of({1}, {2})); },
       {"rows of a batch", "2", "1"}},
      {"lengths beyond the keys",
       [&] {
         look.memory(kKeys, kKeys, {.lengths = Ids::of({2}, {5, 6})});
       },
       {"6", "0 to 5"}},
      {"a negative length",
       [&] {
         look.memory(kKeys, kKeys, {.lengths = Ids::of({2}, {5, -1})});
       },
       {"-1"}},
      {"lengths of another batch",
       [&] {
         look.memory(kKeys, kKeys, {.lengths = Ids::of({3}, {1, 1, 1})});
       },
       {"[3]", "[2]"}},
      {"the state of another mechanism",
       [&] {
         AttentionState state;
         state.hidden.resize(3);
         look.attend(kQuery, memory, state);
       },
       {"3 parts", "1"}},
      {"dropout without noise",
       [&] { look.attend(kQuery, memory, {}, {.dropout = Real(.1)}); },
       {"noise"}},
      {"dropping all", [&] { look.attend(kQuery, memory, {}, {.dropout = 1}); }, {"dropout 1"}},
  });
}

TEST(DataThatNoPartReads, IsRefusedWithWhatToWrite) {
  const Tensor mask = Tensor::zeros({1, 1, 3, 5});
  const Ids lengths = Ids::of({2}, {3, 5});
  const Ids of_queries = Ids::full({2, 3}, 0), of_keys = Ids::full({2, 5}, 0);
  std::vector<Misuse> table;
  for (const std::string normaliser : {"", " | full | sparsemax", " | causal"}) {
    const std::string text = "scaled_dot" + normaliser;
    table.push_back({text + " with a mask",
                     [=] { attend(text, {.mask = mask}); },
                     {"a mask given", text, "tensor"}});
    table.push_back({text + " with a bias",
                     [=] { attend(text, {.bias = mask}); },
                     {"a bias given", "scaled_dot + tensor"}});
    table.push_back({text + " with lengths",
                     [=] { attend(text, {.lengths = lengths}); },
                     {"lengths given", "padding"}});
    table.push_back({text + " with segments",
                     [=] { attend(text, {.query_segments = of_queries, .key_segments = of_keys}); },
                     {"segments given", "segments"}});
    table.push_back({text + " with bounds",
                     [=] {
                       attend(text, {.bounds = Tensor::full({2, 1, 3, 5}, 1)});
                     },
                     {"bounds given", "normaliser"}});
  }
  table.push_back({"a mask of another shape",
                   [&] {
                     attend("dot | tensor", {.mask = Tensor::zeros({1, 1, 3, 4})});
                   },
                   {"mask"}});
  table.push_back({"a bias of another shape",
                   [&] {
                     attend("dot + tensor", {.bias = Tensor::zeros({1, 1, 3, 4})});
                   },
                   {"[1,1,3,4]", "[2 or 1,1 or 1,3,5]"}});
  table.push_back({"no mask where one is read", [] { attend("dot | tensor", {}); }, {"mask"}});
  table.push_back({"no bias where one is read", [] { attend("dot + tensor", {}); }, {"bias"}});
  expect_refused(table);
}

TEST(DataThatAPartReads, IsApplied) {
  const Ids lengths = Ids::of({2}, {3, 5});
  const auto weights_of = [&](const std::string& text, const AttendOptions& options) {
    const Mechanism look = made(text);
    AttendOptions asked = options;
    asked.weights = true;
    return look.attend(kQuery, look.memory(kKeys, kKeys, {.lengths = lengths}), {}, asked)
        .weights.value();
  };
  const Tensor written = weights_of("dot | padding", {});
  EXPECT_EQ(written.at({0, 0, 0, 3}), 0);
  EXPECT_GT(written.at({1, 0, 0, 3}), 0);
  // By the call's own pattern, too.
  const Tensor own = weights_of("dot", {.pattern = pattern_of("padding")});
  EXPECT_EQ(own.values(), written.values());
}

TEST(MisuseOfParts, IsRefused) {
  Random random(1);
  const Variable scores = Tensor::of({1, 3}, {1, 2, 3});
  expect_refused({
      {"bounds for softmax",
       [&] {
         normalise(*normaliser("softmax"), scores, {.bounds = Tensor::full({1, 3}, 1)});
       },
       {"softmax"}},
      {"bounds below one",
       [&] {
         normalise(*normaliser("constrained_softmax"), scores,
                   {.bounds = Tensor::full({1, 3}, Real(.1))});
       },
       {"constrained_softmax", "0.3"}},
      {"an alpha below one", [&] { entmax(scores, 0.5); }, {"alpha"}},
      {"a target that is no distribution",
       [&] {
         fenchel_young_loss(*normaliser("sparsemax"), scores, Tensor::full({1, 3}, 1));
       },
       {"3"}},
      {"a loss of a normaliser without a regulariser",
       [&] {
         fenchel_young_loss(*normaliser("sigmoid"), scores, Tensor::of({1, 3}, {1, 0, 0}));
       },
       {"sigmoid"}},
      {"positions beyond the last", [&] { LearnedPositions(4, 2, random)(3, 2); }, {"4"}},
      {"rotary positions of an odd width",
       [&] {
         Rotary()(Variable(Tensor::zeros({1, 2, 3})));
       },
       {"3", "even"}},
      {"sentences that do not exist",
       [&] {
         const HierarchicalAttention look({.width = 4}, random);
         look.memory(Tensor::zeros({2, 3, 4}), Ids::of({2}, {3, 3}), Ids::of({1, 1}, {2}));
       },
       {"2"}},
      {"a pattern that is none", [] { pattern_of("causall"); }, {"causal"}},
      {"more than a pattern", [] { pattern_of("causal | sparsemax"); }, {"causal | sparsemax"}},
  });
}

TEST(DataWrittenBeforeBackward, IsNoticedOrKept) {
  Tensor bias = Tensor::zeros({1, 1, 3, 5});
  Ids lengths = Ids::of({2}, {3, 5});
  const Variable query = Variable::leaf(kQuery.clone());
  const auto loss_of = [&](const std::string& text, const GivenData& data) {
    const Mechanism look = made(text);
    return sum(square(look.attend(query, look.memory(kKeys, kKeys, data.of_keys()), {},
                                  {.given = data.of_queries()})
                          .context));
  };
  const Variable biased = loss_of("scaled_dot + tensor", {.bias = bias});
  bias.mutable_data()[0] = 1;
  expect_refused(
      {{"a bias written before backward", [&] { backward(biased); }, {"bias", "clone()"}}});
  const auto gradient_of = [&](const Variable& loss) {
    Variable leaf = query;
    leaf.clear_gradient();
    backward(loss);
    return query.gradient().values();
  };
  const std::vector<Real> right =
      gradient_of(loss_of("scaled_dot | padding", {.lengths = lengths}));
  const Variable padded = loss_of("scaled_dot | padding", {.lengths = lengths});
  lengths.mutable_data()[0] = 1;
  EXPECT_EQ(gradient_of(padded), right) << "lengths are kept as they were";
}

struct TwiceListed {
  static Card card() {
    return {.name = "listed_twice", .summary = "A part.", .formula = "x", .source = "none"};
  }
  void declare(Options&) {}
  std::unique_ptr<BoundPattern> bind(const PatternCall&) const { return nullptr; }
};

// A kind of its own, so that the catalogues of the others stay as they are.
struct Kind {
  virtual ~Kind() = default;
};

}  // namespace
}  // namespace heed::misuse

template <>
std::vector<heed::attention::Catalogue<heed::misuse::Kind>::Entry>&
heed::attention::Catalogue<heed::misuse::Kind>::listed() {
  static std::vector<Entry> all;
  return all;
}

namespace heed::misuse {
namespace {

TEST(MisuseOfTheCatalogue, IsRefusedWhenANameIsListedTwice) {
  for (int i = 0; i < 2; ++i) {
    Catalogue<Kind>::add({TwiceListed::card(), [] { return std::make_unique<Kind>(); }});
  }
  expect_refused({{"a name listed twice",
                   [] { Catalogue<Kind>::find("listed_twice"); },
                   {"listed_twice", "two parts"}}});
  EXPECT_EQ(Catalogue<Kind>::find("another"), nullptr);
}

// What a callback of the user's throws reaches whoever called attend or backward, from any kernel
// and any thread.
class ThrowingCallbacks : public ::testing::TestWithParam<const char*> {};

struct Oops : std::runtime_error {
  Oops() : std::runtime_error("oops") {}
};

TEST_P(ThrowingCallbacks, ReachTheCaller) {
  const Mechanism look = made(GetParam());
  // Large enough for blocks, tiles and several threads.
  const Variable query = Variable::leaf(Tensor::full({2, 1, 200, 4}, Real(0.5)));
  const Tensor keys = Tensor::full({2, 1, 300, 4}, Real(0.25));
  const Memory memory = look.memory(keys, keys);
  const auto mask = own_pattern([](const MaskTile&) { throw Oops(); });
  const TileChange change =
      score_change([](const ScoreTile&) { throw Oops(); }, [](const ScoreTileBefore&, Real*) {});
  const TileChange derivative =
      score_change([](const ScoreTile&) {}, [](const ScoreTileBefore&, Real*) { throw Oops(); });
  EXPECT_THROW(look.attend(query, memory, {}, {.pattern = mask}), Oops);
  EXPECT_THROW(look.attend(query, memory, {}, {.changes = {change}}), Oops);
  const Variable context = look.attend(query, memory, {}, {.changes = {derivative}}).context;
  EXPECT_THROW(backward(sum(context)), Oops);
}

// A normaliser of the user's that throws in one direction or the other.
struct Throwing {
  bool backwards = false;
  static Card card() {
    return {.name = "throwing", .summary = "Throws.", .formula = "x", .source = "none"};
  }
  void declare(Options& options) { options.add("backwards", backwards, "in backward only"); }
  template <typename T>
  void forward(const Row<T>&, std::span<T> weights) const {
    if (!backwards) throw Oops();
    std::fill(weights.begin(), weights.end(), T{1});
  }
  template <typename T>
  void backward(const Row<T>&, std::span<const T>, const RowUpstream<T>&,
                const RowGradient<T>&) const {
    throw Oops();
  }
};
const ListedNormaliser<Throwing> kThrowing;

TEST(ThrowingNormalisers, ReachTheCaller) {
  const Variable query = Variable::leaf(Tensor::full({2, 1, 200, 4}, Real(0.5)));
  const Tensor keys = Tensor::full({2, 1, 300, 4}, Real(0.25));
  const Mechanism forwards = made("scaled_dot | full | throwing");
  EXPECT_THROW(forwards.attend(query, forwards.memory(keys, keys)), Oops);
  const Mechanism backwards = made("scaled_dot | full | throwing(backwards=true)");
  const Variable context = backwards.attend(query, backwards.memory(keys, keys)).context;
  EXPECT_THROW(backward(sum(context)), Oops);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, ThrowingCallbacks,
                         ::testing::Values("scaled_dot", "scaled_dot | full | sparsemax",
                                           "scaled_dot | causal | topk_softmax(k=3)", "additive",
                                           "scaled_dot | full | fusedmax"));

}  // namespace
}  // namespace heed::misuse
