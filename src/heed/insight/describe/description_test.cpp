// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/describe/description.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/insight/describe/description_notes.h"
#include "heed/insight/describe/description_svg.h"
#include "heed/models/seq2seq.h"
#include "heed/models/transformer.h"

namespace heed::insight {
namespace {

ModelFacts transformer_facts() {
  Random random(1);
  models::Transformer model({.source_vocabulary = 100,
                             .target_vocabulary = 90,
                             .stack = {.width = 16, .heads = 4, .inner = 32},
                             .encoder_layers = 2,
                             .decoder_layers = 2},
                            random);
  return {.title = "small",
          .task = "translate",
          .options = {{"model", "transformer"}, {"positions", "sinusoidal"}, {"heads", "4"}},
          .parameters = shapes_of(nn::parameters(model))};
}

std::int64_t sum_of(const Part& part) {
  if (part.parts.empty()) return part.parameters * part.copies;
  std::int64_t sum = 0;
  for (const Part& inner : part.parts) sum += sum_of(inner);
  return sum * part.copies;
}

const Part* find(const Part& part, std::string_view note) {
  for (const Part& inner : part.parts) {
    if (inner.note.starts_with(note)) return &inner;
    if (const Part* found = find(inner, note)) return found;
  }
  return nullptr;
}

TEST(Description, CountsEveryParameterOnce) {
  const Description model = describe(transformer_facts());
  // Tables 100 and 90 by 16, the output's bias, and of each layer its parts.
  const std::int64_t attention = 4 * (16 * 16 + 16), norm = 32, feed = 2 * 16 * 32 + 32 + 16;
  const std::int64_t encoder = attention + feed + 2 * norm, decoder = encoder + attention + norm;
  EXPECT_EQ(model.cost.parameters, 190 * 16 + 90 + 2 * encoder + 2 * decoder + 2 * norm);
  EXPECT_EQ(sum_of(model.root), model.cost.parameters);
  EXPECT_EQ(model.cost.weight_bytes, model.cost.parameters * std::int64_t{sizeof(Real)});
}

TEST(Description, NamesTheThreeAttentionsOfATransformer) {
  const Description model = describe(transformer_facts());
  for (const char* note : {"self-attention of the encoder, both ways",
                           "self-attention of the decoder, the future hidden",
                           "attention of the decoder over the encoder"}) {
    const Part* part = find(model.root, note);
    ASSERT_NE(part, nullptr) << note << '\n' << to_text(model);
    EXPECT_EQ(part->parameters, 4 * (16 * 16 + 16));
  }
}

TEST(Description, FoldsEqualLayersAndMarksWhatIsNotTrained) {
  const Description model = describe(transformer_facts());
  const std::string text = to_text(model);
  EXPECT_NE(text.find("0-1  (2 of these)"), std::string::npos) << text;
  const Part* positions = find(model.root, "sines of the position");
  ASSERT_NE(positions, nullptr);
  EXPECT_FALSE(positions->trained);
  EXPECT_LT(to_text(model, 1).size(), text.size() / 2);
}

TEST(Description, SaysHowFarAMemoryOfSegmentsReaches) {
  const auto memory = [](std::map<std::string, std::string> more) {
    ModelFacts facts{.options = {{"model", "transformer_xl"},
                                 {"longest", "32"},
                                 {"memory", "96"},
                                 {"layers", "4"}},
                     .parameters = {{"words.weight", {9, 4}}}};
    facts.options.merge(more);
    const Part* part = find(describe(facts).root, "the last ");
    return part == nullptr ? std::string() : part->note;
  };
  EXPECT_NE(memory({}).find("4 layers reach 416 tokens back"), std::string::npos) << memory({});
  const std::string slots =
      memory({{"compression", "mean"}, {"slots", "10"}, {"compression-rate", "4"}});
  EXPECT_NE(slots.find("4 layers reach 576 tokens back"), std::string::npos) << slots;
}

TEST(Description, FoldsNoLayersOfDifferentShapes) {
  const auto text_of = [](std::int64_t second) {
    return to_text(
        describe({.title = "layers",
                  .parameters = {{"layers.0.weight", {4, 4}}, {"layers.1.weight", {second, 4}}}}));
  };
  EXPECT_NE(text_of(4).find("(2 of these)"), std::string::npos) << text_of(4);
  EXPECT_EQ(text_of(5).find("of these"), std::string::npos) << text_of(5);
}

TEST(Description, CostsWhatShapesSay) {
  const Description model = describe(transformer_facts());
  // Six attentions, 2 flops for the score and 2 for the value of each of 16 features.
  EXPECT_EQ(model.cost.flops_per_key, 6 * 4 * 16);
  // Keys and values of two layers, of the decoder and of the source.
  EXPECT_EQ(model.cost.cache_bytes_per_token, 4 * 2 * 16 * std::int64_t{sizeof(Real)});
  // The tied table is multiplied at the output; the source's is only looked up.
  EXPECT_GT(model.cost.flops_per_token, 2. * 90 * 16);
  EXPECT_LT(model.cost.flops_per_token, 2. * double(model.cost.parameters - 100 * 16) + 1);
}

TEST(Description, KnowsRecurrentNetworks) {
  Random random(1);
  models::Seq2Seq model({.source_vocabulary = 50,
                         .target_vocabulary = 60,
                         .cell = nn::Cell::gru,
                         .embedding = 8,
                         .hidden = 12},
                        random);
  const Description described = describe({.title = "rnn",
                                          .task = "translate",
                                          .options = {{"cell", "gru"}, {"attention", "additive"}},
                                          .parameters = shapes_of(nn::parameters(model))});
  EXPECT_NE(find(described.root, "recurrent network: gru"), nullptr) << to_text(described);
  EXPECT_NE(find(described.root, "attention of the decoder over the encoder: additive"), nullptr)
      << to_text(described);
  EXPECT_GT(described.cost.state_bytes, 0);
  EXPECT_GT(described.cost.flops_per_key, 0);
}

TEST(Description, CountsTheCellOfAnLstmBesideItsState) {
  const auto state_bytes = [](const std::string& cell, std::int64_t gates) {
    return describe({.title = "rnn",
                     .options = {{"cell", cell}},
                     .parameters = {{"layers.0.w_h", {gates * 12, 12}}}})
        .cost.state_bytes;
  };
  EXPECT_EQ(state_bytes("gru", 3), 12 * std::int64_t{sizeof(Real)});
  EXPECT_EQ(state_bytes("lstm", 4), 2 * 12 * std::int64_t{sizeof(Real)});
}

TEST(Description, FollowsTheWayOfATokenWhateverTheOrderOfTheFile) {
  const auto names = [](const ModelFacts& facts) {
    std::vector<std::string> found;
    for (const Part& part : describe(facts).root.parts) found.push_back(part.name);
    return found;
  };
  ModelFacts sorted = transformer_facts();
  std::ranges::sort(sorted.parameters, {}, &NamedShape::path);
  EXPECT_EQ(names(sorted), names(transformer_facts()));
  EXPECT_LT(flow_rank("source"), flow_rank("encoder"));
  EXPECT_LT(flow_rank("encoder"), flow_rank("something new"));
  EXPECT_LT(flow_rank("something new"), flow_rank("output"));
}

TEST(Description, OfNothingIsAUsageError) {
  EXPECT_EQ(heed::test::message_of<UsageError>([] { describe({.title = "empty"}); }),
            "empty: no parameters to describe");
}

TEST(DescriptionSvg, HasABoxForEveryModuleAndABrokenEdgeForFormulas) {
  const std::string svg = description_svg(describe(transformer_facts()));
  EXPECT_NE(svg.find("self-attention of the encoder"), std::string::npos);
  EXPECT_NE(svg.find("stroke-dasharray"), std::string::npos);
  EXPECT_TRUE(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
}

TEST(HumanCount, UsesThreeDigitsAndAUnit) {
  EXPECT_EQ(human_count(812), "812");
  EXPECT_EQ(human_count(1'049'000), "1.05 M");
  EXPECT_EQ(human_count(999'900), "1 M");
}

}  // namespace
}  // namespace heed::insight
