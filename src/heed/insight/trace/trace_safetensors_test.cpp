// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/trace_safetensors.h"

#include <gtest/gtest.h>

#include <limits>

#include "heed/attention/trace_testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/insight/trace/trace_json.h"

namespace heed::insight {
namespace {

using test::message_of;
using test::TemporaryFolder;

TraceDocument stored_example() {
  TracedExample one{.title = "the cat"};
  one.strips.push_back({.name = "source", .tokens = {"the", "▁ca", "t"}, .words = {0, 1, 1}});
  one.strips.push_back({.name = "target", .tokens = {"le", "</s>"}, .words = {0, -1}});
  one.attentions.push_back(
      {.kind = "cross",
       .queries = "target",
       .keys = "source",
       .stepwise = true,
       .heads = {{.weights = Tensor::of({2, 3}, {.5, .5, 0, kMasked, 1e-9, 1})},
                 {.layer = 1, .head = 2, .weights = Tensor::of({2, 3}, {1, 0, 0, 0, 0, 1})}}});
  one.gold = text::Alignment{{0, 0}};
  return {.model = "demo", .task = "translate", .examples = {one}};
}

TEST(TraceSafetensors, ComesBackWithMasksZerosAndTinyWeightsApart) {
  const TemporaryFolder folder;
  write_trace_safetensors(folder / "trace.safetensors", stored_example());
  const TraceDocument back = read_trace_safetensors(SafetensorsFile(folder / "trace.safetensors"));
  EXPECT_EQ(to_trace_json_without_weights(back), to_trace_json_without_weights(stored_example()));
  for (std::size_t head = 0; head < 2; ++head) {
    attention::testing::expect_same_looks(
        back.examples[0].attentions[0].heads[head].weights,
        stored_example().examples[0].attentions[0].heads[head].weights, 0);
  }
  EXPECT_GT(back.examples[0].attentions[0].heads[0].weights.at({1, 1}), 0);
}

TEST(TraceSafetensors, NamesItsTensorsByPlaceAndMasksOnlyWhereThereAreSome) {
  const TemporaryFolder folder;
  write_trace_safetensors(folder / "t.safetensors", stored_example());
  const SafetensorsFile file(folder / "t.safetensors");
  std::vector<std::string> names;
  for (const TensorInfo& info : file.tensors()) names.push_back(info.name);
  EXPECT_EQ(names, (std::vector<std::string>{"examples.0.attentions.0.layer.0.head.0",
                                             "examples.0.attentions.0.layer.0.head.0.masked",
                                             "examples.0.attentions.0.layer.1.head.2"}));
}

// A file with this document and these tensors of [2,3].
void put(const std::filesystem::path& path, const TraceDocument& document,
         const std::map<std::string, std::vector<float>>& tensors) {
  SafetensorsWriter writer;
  writer.set_metadata("trace", to_trace_json_without_weights(document));
  for (const auto& [name, values] : tensors) writer.add(name, {values.size() / 3, 3}, values);
  writer.write(path);
}

TEST(TraceSafetensors, SaysWhatIsWrongAndWhere) {
  const TemporaryFolder folder;
  const auto message = [&](const std::map<std::string, std::vector<float>>& tensors) {
    put(folder / "t", stored_example(), tensors);
    return message_of<DataError>([&] { read_trace_safetensors(SafetensorsFile(folder / "t")); });
  };
  const std::string first = "examples.0.attentions.0.layer.0.head.0";
  const std::string second = "examples.0.attentions.0.layer.1.head.2";
  const std::vector<float> good = {1, 0, 0, 0, 0, 1};
  EXPECT_NE(message({{first, good}}).find(second), std::string::npos);
  EXPECT_NE(message({{first, good}, {second, {1, 0, 0}}}).find("[1,3]"), std::string::npos);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(message({{first, good}, {second, {1, 0, 0, 0, nan, 0}}}).find("[1][1] is NaN"),
            std::string::npos);
  EXPECT_NE(message({{first, good}, {second, {1, 0, 0, 0, -1, 0}}}).find("negative"),
            std::string::npos);
  EXPECT_NE(
      message({{first, good}, {second, good}, {"examples.0.attentions.0.layer.7.head.0", good}})
          .find("layer.7"),
      std::string::npos);
  SafetensorsWriter plain;
  plain.add("weights", {2, 3}, good);
  plain.write(folder / "plain");
  EXPECT_NE(message_of<DataError>([&] {
              read_trace_safetensors(SafetensorsFile(folder / "plain"));
            }).find("no trace"),
            std::string::npos);
}

TEST(TraceSafetensors, WritesNothingForADocumentThatDoesNotHoldTogether) {
  const TemporaryFolder folder;
  TraceDocument wrong = stored_example();
  wrong.examples[0].attentions[0].keys = "nowhere";
  EXPECT_THROW(write_trace_safetensors(folder / "t.safetensors", wrong), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder / "t.safetensors"));
}

}  // namespace
}  // namespace heed::insight
