// SPDX-License-Identifier: Apache-2.0
// Misuses of networks, training, text, search and model folders; and what may run at once.
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include "heed/base/options.h"
#include "heed/base/safetensors.h"
#include "heed/base/testing.h"
#include "heed/base/threads.h"
#include "heed/decoding/continuous_cache.h"
#include "heed/decoding/draw.h"
#include "heed/metrics/bleu.h"
#include "heed/nn/convolution.h"
#include "heed/nn/embedding.h"
#include "heed/nn/feed_forward.h"
#include "heed/nn/recurrent.h"
#include "heed/pipeline/testing.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/tokeniser.h"
#include "heed/training/optimiser.h"
#include "heed/training/schedule.h"
#include "misuse.h"

namespace heed::misuse {
namespace {

TEST(MisuseOfNetworks, IsRefused) {
  Random random(1);
  nn::Linear linear(3, 2, random);
  const Variable x = Tensor::zeros({4, 3});
  expect_refused({
      {"an input of another width",
       [&] {
         linear(Tensor::zeros({4, 5}));
       },
       {"[4,5]", "[2,3]"}},
      {"a layer that was never made", [&] { nn::Linear()(x); }, {"linear", "[4,3]"}},
      {"a negative width", [&] { nn::Linear(-3, 2, random); }, {"-3"}},
      {"a word outside the vocabulary",
       [&] { nn::Embedding(10, 4, random)(Ids::of({1}, {10})); },
       {"id 10", "9"}},
      {"steps of another width",
       [&] {
         nn::RecurrentNetwork({.cell = nn::Cell::gru, .inputs = 3, .hidden = 2},
                              random)(Tensor::zeros({5, 2, 4}));
       },
       {"[6,3]", "[6,4]"}},
      {"lengths beyond the steps",
       [&] {
         nn::RecurrentNetwork({.cell = nn::Cell::gru, .inputs = 3, .hidden = 2}, random)(
             Tensor::zeros({5, 2, 3}), {.lengths = Ids::of({2}, {5, 6})});
       },
       {"6", "5"}},
      {"an image without its batch",
       [&] {
         nn::Convolution2d(1, 2, 3, random)(Tensor::zeros({1, 8, 8}));
       },
       {"[1,8,8]", "[B,C,H,W]"}},
      {"loading a file of another network",
       [&] {
         const test::TemporaryFolder folder;
         const std::string path = folder.path() / "m.safetensors";
         nn::Linear other(4, 2, random);
         nn::save(nn::parameters(other), path);
         nn::Parameters mine = nn::parameters(linear);
         nn::load(mine, path);
       },
       {"weight", "[2,4]", "[2,3]"}},
      {"loading what is not there",
       [&] {
         nn::Parameters mine = nn::parameters(linear);
         nn::load(mine, "/nowhere/m.safetensors");
       },
       {"/nowhere/m.safetensors"}},
  });
}

TEST(MisuseOfTraining, IsRefused) {
  Random random(1);
  nn::Linear linear(3, 2, random);
  const auto optimiser = [&](const training::Method& method) {
    return training::Optimiser(nn::parameters(linear), method);
  };
  const auto step = [&](const training::StepOptions& options) {
    optimiser(training::Sgd{}).step(options);
  };
  expect_refused({
      {"a negative rate", [&] { step({.learning_rate = -1}); }, {"learning_rate", "-1"}},
      {"a rate that is no number", [&] { step({.learning_rate = std::nan("")}); }, {"nan"}},
      {"a negative norm", [&] { step({.clip_norm = -1}); }, {"clip_norm", "-1"}},
      {"gradients scaled away", [&] { step({.gradient_scale = 0}); }, {"gradient_scale", "0"}},
      {"a beta of one", [&] { optimiser(training::Adam{.beta1 = 1}); }, {"beta1", "1"}},
      {"negative decay",
       [&] { optimiser(training::Adam{.weight_decay = -1}); },
       {"weight_decay", "-1"}},
      {"nesterov without momentum",
       [&] { optimiser(training::Sgd{.nesterov = true}); },
       {"momentum"}},
      {"a parameter that is a view",
       [&] {
         nn::Parameters views{{"w", Variable::leaf(linear.weight.value().transpose())}};
         training::Optimiser(views, training::Adam{});
       },
       {"w", "[3,2]", "packed()"}},
      {"a parameter that is not defined",
       [&] {
         training::Optimiser({{"w", Variable()}}, training::Adam{});
       },
       {"not defined"}},
      {"the state of another optimiser",
       [&] { optimiser(training::Adam{}).restore({}, 1); },
       {"missing"}},
      {"a cosine that never ends",
       [] { training::Schedule({.decay = training::Decay::cosine}); },
       {"decay-updates"}},
      {"a negative peak", [] { training::Schedule({.peak = -1}); }, {"-1"}},
  });
}

TEST(MisuseOfText, IsRefused) {
  const std::vector<std::string> lines{"a b c", "b c d"};
  const auto words = text::train_tokeniser({.kind = text::TokeniserKind::words}, lines);
  expect_refused({
      {"a tokeniser of no text",
       [] { text::train_tokeniser({.kind = text::TokeniserKind::words}, {}); },
       {"text"}},
      {"a vocabulary of nothing",
       [&] { text::train_tokeniser({.kind = text::TokeniserKind::words, .size = 0}, lines); },
       {"0"}},
      {"bytes that are no text", [&] { words->encode("\xff\xfe"); }, {"UTF-8"}},
      {"a token outside the vocabulary", [&] { words->piece(1000); }, {"1000"}},
      {"a tokeniser that is not there",
       [] { text::load_tokeniser("/nowhere/vocabulary"); },
       {"/nowhere/vocabulary"}},
      {"a tokeniser that is something else",
       [] { text::load_tokeniser("/proc/self/exe"); },
       {"/proc/self/exe"}},
      {"fewer references than translations",
       [] {
         const std::vector<std::string> two{"a", "b"};
         const std::vector<std::vector<std::string>> one{{"a"}};
         metrics::corpus_bleu(two, one);
       },
       {"2", "1"}},
      {"a temperature of nothing", [] { decoding::check({.temperature = 0}); }, {"0"}},
      {"a nucleus of more than all", [] { decoding::check({.nucleus = 2}); }, {"2"}},
      {"a cache that is all",
       [] { decoding::check(decoding::CacheOptions{.size = 10, .lambda = 2}); },
       {"2"}},
      {"no threads", [] { set_threads(0); }, {"0", "1 to 1024"}},
      {"words for a number of threads", [] { parse_threads("two"); }, {"two"}},
  });
}

class MisuseOfModels : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new test::TemporaryFolder;
    pipeline::TranslationOptions options;
    pipeline::testing::set_small(options, folder_->path());
    pipeline::train(options, pipeline::testing::silent);
  }
  static void TearDownTestSuite() { delete folder_; }
  static std::filesystem::path model() { return folder_->path() / "model"; }
  static test::TemporaryFolder* folder_;
};
test::TemporaryFolder* MisuseOfModels::folder_ = nullptr;

TEST_F(MisuseOfModels, IsRefused) {
  using pipeline::Translator;
  const Translator translator(model());
  const std::filesystem::path damaged = folder_->path() / "damaged";
  std::filesystem::copy(model(), damaged, std::filesystem::copy_options::recursive);
  std::ofstream(damaged / "model.safetensors") << "nothing";
  expect_refused({
      {"a folder that is not there", [] { Translator("/nowhere"); }, {"/nowhere"}},
      {"a folder without a model", [] { Translator("/proc"); }, {"/proc"}},
      {"no folder", [] { Translator(std::span<const std::filesystem::path>()); }, {"one or more"}},
      {"a damaged folder", [&] { Translator{damaged}; }, {"model.safetensors"}},
      {"a beam of nothing", [&] { translator.translate("a", {.beam = {.width = 0}}); }, {"0"}},
      {"more outputs than the beam has",
       [&] { translator.translate("a", {.beam = {.width = 2, .n_best = 3}}); },
       {"3", "2"}},
      {"prefixes for other lines",
       [&] {
         translator.translate({"a", "b"}, {.prefixes = {"A"}});
       },
       {"1 prefixes", "2 lines"}},
      {"targets for other sources",
       [&] {
         const std::vector<std::string> two{"a", "b"}, one{"A"};
         translator.score(two, one);
       },
       {"2", "1"}},
      {"bytes that are no text", [&] { translator.translate("\xff"); }, {"UTF-8"}},
      {"a head that is not there",
       [&] { translator.translate("a", {.attention = true, .heads = {.heads = {7}}}); },
       {"7"}},
  });
}

TEST_F(MisuseOfModels, IsNoneInBraces) {
  // Two literals in braces are two lines, and two folders, not the ends of one.
  const pipeline::Translator two({model().string(), model().string()});
  const auto found = two.translate({"a", "b c"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1][0].text, two.translate("b c").text);
}

TEST_F(MisuseOfModels, IsNotThatTwoThreadsTranslateAtOnce) {
  const pipeline::Translator translator(model());
  const std::vector<std::string> lines{"a b c", "f e d c b", "c", "b b a"};
  const pipeline::TranslateOptions options{.attention = true};
  const auto alone = translator.translate(lines, options);
  const auto both = [&] {
    for (int i = 0; i < 5; ++i) {
      const auto found = translator.translate(lines, options);
      for (std::size_t l = 0; l < lines.size(); ++l) {
        EXPECT_EQ(found[l][0].text, alone[l][0].text);
        EXPECT_EQ(found[l][0].score, alone[l][0].score);
        EXPECT_EQ(found[l][0].weights.values(), alone[l][0].weights.values());
      }
    }
  };
  std::thread other(both);
  both();
  other.join();
}

TEST(Threads, MayBeSetWhileOthersCompute) {
  const int before = threads();
  std::thread other([] {
    for (int i = 0; i < 200; ++i) set_threads(1 + i % 2);
  });
  const Tensor x = Tensor::full({64, 64}, Real(0.5));
  for (int i = 0; i < 50; ++i) ASSERT_EQ(matmul(x, x).at({3, 3}), 16);
  other.join();
  set_threads(before);
}

}  // namespace
}  // namespace heed::misuse
