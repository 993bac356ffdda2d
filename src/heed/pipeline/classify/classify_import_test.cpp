// SPDX-License-Identifier: Apache-2.0
// Imported classifiers give what their own program gives, to 1e-4.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/foreign/foreign_config.h"
#include "heed/pipeline/foreign/foreign_testing.h"
#include "heed/pipeline/model_folder.h"

namespace heed::pipeline {
namespace {

using namespace testing;

std::string classifier_vocabulary(const std::string& name) {
  if (name == "roberta-classify") {
    return tiny_vocabulary({{0, "<s>"}, {1, "<pad>"}, {2, "</s>"}, {3, "<unk>"}, {4, "<mask>"}},
                           "<s>", "</s>");
  }
  return tiny_vocabulary({{0, "[PAD]"}, {1, "[UNK]"}, {2, "[CLS]"}, {3, "[SEP]"}, {4, "[MASK]"}},
                         "[CLS]", "[SEP]");
}

// An imported folder, and its model by hand.
struct Imported {
  explicit Imported(const std::string& name, bool second = false) {
    copy_tiny(name, folder / "foreign", classifier_vocabulary(name));
    import_model({.from = folder / "foreign", .to = path(), .second = second});
    const ModelFolder model_folder{path()};
    model_folder.check("classify");
    model_folder.read_config(options.list);
    tokeniser = text::load_tokeniser(model_folder.file(kTokeniserFile));
    labels = text::Labels::load(model_folder.file(kLabelsFile));
    Random random(1);
    model = std::make_unique<models::Classifier>(options.model(tokeniser->size(), labels), random);
    nn::Parameters parameters = nn::parameters(*model);
    model_folder.load_weights(parameters);
  }
  fs::path path() const { return folder / "model"; }

  test::TemporaryFolder folder;
  ClassifyOptions options;
  TokeniserPointer tokeniser;
  text::Labels labels;
  std::unique_ptr<models::Classifier> model;
};

class ImportedClassifier : public ::testing::TestWithParam<std::string> {};

TEST_P(ImportedClassifier, GivesTheLogitsAndWeightsOfItsOwnProgram) {
  const NoGradient values_only;
  const Imported imported(GetParam());
  const Expected expected(GetParam());
  const std::vector<std::size_t> shape = expected.shape("in.input_ids");
  const auto batch = static_cast<std::int64_t>(shape[0]);
  const auto steps = static_cast<std::int64_t>(shape[1]);
  std::map<int, text::Token> tokens = tokens_of(*imported.tokeniser);
  std::vector<std::int32_t> ids = expected.numbers("in.input_ids");
  for (std::int32_t& id : ids) id = tokens.at(id);
  const std::vector<std::int32_t> mask = expected.numbers("in.attention_mask");
  std::vector<std::int32_t> lengths;
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto row = mask.begin() + b * steps;
    lengths.push_back(std::accumulate(row, row + steps, 0));
  }
  models::Sequences text{Ids::of({batch, steps}, ids), Ids::of({batch}, lengths)};
  if (expected.has("in.token_type_ids")) {
    text.segments = Ids::of({batch, steps}, expected.numbers("in.token_type_ids"));
  }
  Watcher watcher;
  const Tensor logits = (*imported.model)({.text = text}, {.watch = &watcher}).front().value();
  const std::vector<Real> wanted = expected.values("out.logits");
  const std::vector<std::string> names =
      ForeignConfig(imported.folder / "foreign" / "config.json").labels();
  double worst = 0;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::size_t c = 0; c < names.size(); ++c) {
      // Classes come by their names.
      const std::int64_t mine = imported.labels.aspects()[0].find(names[c]);
      ASSERT_GE(mine, 0) << names[c];
      worst = std::max(worst, std::abs(static_cast<double>(logits.at({b, mine})) -
                                       wanted[static_cast<std::size_t>(b) * names.size() + c]));
    }
  }
  EXPECT_LE(worst, kClose) << "logits";
  expect_weights(watcher.weights_of["encoder self"], expected, "out.attentions", lengths, lengths);
}

TEST_P(ImportedClassifier, ClassifiesTracesAndIsExplained) {
  const Imported imported(GetParam());
  const Classifier classifier(imported.path());
  const Classification found = classifier.classify("p7 p8 p9");
  EXPECT_EQ(found.aspects.front().label.empty(), false);
  const Input input{"p7 p8 p9"};
  const std::vector<insight::TracedExample> traced = classifier.trace(std::span(&input, 1));
  ASSERT_EQ(traced.size(), 1u);
  EXPECT_EQ(traced[0].strips[0].tokens.size(), 5u) << "with those that frame the text";
  EXPECT_EQ(traced[0].attentions[0].heads.size(), 8u) << "two layers of four heads";
  EXPECT_EQ(classifier.explained(input).words.size(), 3u);
}

TEST_P(ImportedClassifier, ReadsPairsAsOneTextWithItsEndsBetween) {
  const Imported imported(GetParam(), true);
  const Classifier classifier(imported.path());
  const Classification pair = classifier.classify("p7 p8", "p9");
  // The same by hand, from original numbers.
  const bool roberta = GetParam() == "roberta-classify";
  std::map<int, text::Token> tokens = tokens_of(*imported.tokeniser);
  std::vector<std::int32_t> ids, segments;
  const std::vector<int> originals =
      roberta ? std::vector<int>{0, 7, 8, 2, 2, 9, 2} : std::vector<int>{2, 7, 8, 3, 9, 3};
  for (const int number : originals) ids.push_back(tokens.at(number));
  const auto count = static_cast<std::int64_t>(ids.size());
  for (std::int64_t i = 0; i < count; ++i) segments.push_back(!roberta && i >= 4 ? 1 : 0);
  const Imported single(GetParam());
  models::Sequences text{Ids::of({1, count}, ids),
                         Ids::of({1}, {static_cast<std::int32_t>(count)})};
  if (GetParam() == "bert-classify") text.segments = Ids::of({1, count}, segments);
  const NoGradient values_only;
  const Tensor shares = softmax((*single.model)({.text = text}).front()).value();
  for (std::int64_t c = 0; c < shares.size(1); ++c) {
    EXPECT_NEAR(pair.aspects[0].probabilities[static_cast<std::size_t>(c)], shares.at({0, c}),
                1e-6);
  }
  const Input input{"p7 p8", "p9"};
  EXPECT_EQ(classifier.trace(std::span(&input, 1))[0].strips[0].tokens.size(), originals.size());
  EXPECT_NE(
      classifier.unreadable({.text = "p7 p7 p7 p7 p7 p7 p7 p7", .second = "p8 p8 p8 p8 p8 p8"}), "")
      << "both together are longer than 16 positions";
}

INSTANTIATE_TEST_SUITE_P(Golden, ImportedClassifier,
                         ::testing::Values("bert-classify", "roberta-classify",
                                           "distilbert-classify"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ImportedClassifiers, AreRefusedWhereTheyAreNone) {
  const test::TemporaryFolder folder;
  copy_tiny("bert-classify", folder / "foreign", classifier_vocabulary("bert-classify"));
  const fs::path config = folder / "foreign" / "config.json";
  const std::string before = read_file(config);
  const auto message = [&](const std::string& key, Json value) {
    Json json = Json::parse(before, config.string());
    auto& members = std::get<Json::Object>(json.value);
    std::erase_if(members, [&](const Json::Member& member) { return member.first == key; });
    members.emplace_back(key, std::move(value));
    write_atomically(config, json.text());
    return test::message_of<DataError>(
        [&] { import_model({.from = folder / "foreign", .to = folder / "model"}); });
  };
  EXPECT_NE(message("problem_type", "regression").find("problem_type"), std::string::npos);
  EXPECT_NE(message("id2label", Json::Object{{"0", "score"}}).find("one label"), std::string::npos);
  EXPECT_NE(message("id2label", Json::Object{{"0", "a"}, {"2", "b"}}).find("\"1\""),
            std::string::npos);
  EXPECT_NE(message("id2label", Json::Object{{"0", "a"}, {"1", "b\tc"}}).find("without tabs"),
            std::string::npos);
  // Four classes, and rows of three.
  EXPECT_NE(message("id2label", Json::Object{{"0", "a"}, {"1", "b"}, {"2", "c"}, {"3", "d"}})
                .find("the config asks for [4, 32]"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "model"));
  EXPECT_NE(test::message_of<UsageError>([&] {
              copy_tiny("bert-masked", folder / "masked", classifier_vocabulary("bert"));
              import_model({.from = folder / "masked", .to = folder / "model", .second = true});
            }).find("--second"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::pipeline
