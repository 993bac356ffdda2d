// SPDX-License-Identifier: Apache-2.0
// A model of sentence embeddings among others: batches, traces, answers, mistakes.
#include "heed/pipeline/embed/text_embedder.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/pipeline/model_folder.h"

namespace heed::pipeline {
namespace {

// An untrained model over a few words, in a folder.
std::filesystem::path small_embedder(const test::TemporaryFolder& place) {
  EmbedOptions options;
  options.list.read_toml_text(
      "width = 8\nheads = 2\ninner = 8\nlayers = 2\nmax-length = 3\ndropout = 0\n", "test");
  const std::vector<std::string> lines = {"a b c d e f the cat sleeps"};
  const auto tokeniser = text::train_tokeniser({.kind = text::TokeniserKind::words}, lines);
  const ModelFolder folder{place / "vectors"};
  std::filesystem::create_directories(folder.path);
  tokeniser->save(folder.file(kTokeniserFile));
  test::put(folder.config(), options.list.to_toml());
  Random random(3);
  models::Embedder model(options.model(tokeniser->size()), random);
  folder.save_weights(nn::parameters(model), "embed");
  return folder.path;
}

TEST(TextEmbedder, GivesTheSameAloneAndAmongOthers) {
  const test::TemporaryFolder place;
  const TextEmbedder embedder(small_embedder(place));
  const std::vector<std::string> texts = {"a b c", "the cat sleeps", "", "d", "a b c d e f"};
  const Embedded all = embedder.embed(texts, {.batch = {.tokens = 8}});
  EXPECT_EQ(all.left_out, (std::vector<std::size_t>{0, 0, 0, 0, 3}));
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Tensor alone = embedder.embed(std::span(&texts[i], 1)).vectors;
    for (std::int64_t d = 0; d < embedder.width(); ++d) {
      EXPECT_NEAR(alone.at({0, d}), all.vectors.at({static_cast<std::int64_t>(i), d}), 1e-5);
    }
  }
  EXPECT_NEAR(embedder.cosine("a b c", "a b c d e f"), 1, 1e-6) << "the rest is not read";
}

TEST(TextEmbedder, IsAskedAsEveryModel) {
  const test::TemporaryFolder place;
  const TextEmbedder embedder(small_embedder(place));
  const Model& model = embedder;
  const Input pair{"the cat", "the cat"}, alone{"the cat"};
  EXPECT_NEAR(model.run(std::span(&pair, 1))[0][0].score, 1, 1e-6);
  EXPECT_EQ(std::ranges::count(model.run(std::span(&alone, 1))[0][0].text, ' '), 7);
  const auto traced = model.trace(std::span(&alone, 1));
  ASSERT_EQ(traced.size(), 1u);
  EXPECT_EQ(traced[0].strips[0].tokens.size(), 3u);
  EXPECT_EQ(traced[0].attentions[0].heads.size(), 4u);
  EXPECT_THROW(model.run(std::span(&alone, 1), {{"beam", "2"}}), UsageError);
  EXPECT_EQ(test::message_of<UsageError>([&] {
              embedder.embed(std::vector<std::string>{"a", std::string("b\0", 2)});
            }),
            "text 2: byte 2 is NUL, which no text holds; leave it out");
}

}  // namespace
}  // namespace heed::pipeline
