// SPDX-License-Identifier: Apache-2.0
#include "heed/training/average.h"

#include <gtest/gtest.h>

#include <array>

#include "heed/base/safetensors.h"
#include "heed/base/testing.h"
#include "heed/training/checkpoint.h"

namespace heed::training {
namespace {

using Paths = std::vector<std::filesystem::path>;
using heed::test::TemporaryFolder;

void write_model(const std::filesystem::path& path, float value, std::int32_t whole = 7) {
  SafetensorsWriter writer;
  const std::vector<float> x = {value, 2 * value};
  const std::vector<double> y = {-value};
  const std::vector<std::int32_t> n = {whole};
  writer.add("x", {2, 1}, x);
  writer.add("y", {}, y);
  writer.add("n", {1}, n);
  writer.write(path);
}

TEST(Average, IsTheMeanOfEveryTensor) {
  const TemporaryFolder folder;
  write_model(folder / "a", 1);
  write_model(folder / "b", 2);
  write_model(folder / "c", 6);
  average(Paths{folder / "a", folder / "b", folder / "c"}, folder / "mean", {{"made-by", "test"}});
  const SafetensorsFile mean(folder / "mean");
  EXPECT_EQ(mean.read<float>(mean.at("x")), (std::vector<float>{3, 6}));
  EXPECT_EQ(mean.at("x").shape, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(mean.read<double>(mean.at("y")), (std::vector<double>{-3}));
  EXPECT_EQ(mean.at("y").dtype, DType::kF64);
  EXPECT_EQ(mean.read<std::int32_t>(mean.at("n")), (std::vector<std::int32_t>{7}));
  EXPECT_EQ(mean.metadata().at("made-by"), "test");
}

TEST(Average, StoresHalfNumbersWhereTheyAreAskedFor) {
  const TemporaryFolder folder;
  write_model(folder / "a", 1);
  write_model(folder / "b", 1.001F);
  average(Paths{folder / "a", folder / "b"}, folder / "half", {}, DType::kBF16);
  const SafetensorsFile half(folder / "half");
  EXPECT_EQ(half.at("x").dtype, DType::kBF16);
  EXPECT_EQ(half.at("x").bytes, 4u);
  EXPECT_EQ(half.read<float>(half.at("x")), (std::vector<float>{1, 2}));
  EXPECT_EQ(half.at("n").dtype, DType::kI32);
  write_model(folder / "large", 70000);
  EXPECT_NE(test::message_of<UsageError>([&] {
              average(Paths{folder / "large"}, folder / "half", {}, DType::kF16);
            }).find("70000, which F16 has no room for"),
            std::string::npos);
  EXPECT_EQ(SafetensorsFile(folder / "half").at("x").dtype, DType::kBF16);  // as it was
}

TEST(Average, MayReplaceOneOfItsInputs) {
  const TemporaryFolder folder;
  write_model(folder / "a", 1);
  write_model(folder / "b", 2);
  average(Paths{folder / "a", folder / "b"}, folder / "a");
  const SafetensorsFile mean(folder / "a");
  EXPECT_EQ(mean.read<float>(mean.at("x")), (std::vector<float>{1.5F, 3}));
}

TEST(Average, TakesTheParametersOfCheckpointsAlone) {
  const TemporaryFolder folder;
  for (const Real value : {Real{1}, Real{2}}) {
    Checkpoint checkpoint;
    checkpoint.put("parameters", {{"w", Tensor::full({2}, value)}});
    checkpoint.put("optimiser", {{"w/mean", Tensor::full({2}, value)}});
    checkpoint.notes["update"] = "5";
    write_checkpoint(checkpoint, folder / (value == 1 ? "a" : "b"));
  }
  average(Paths{folder / "a", folder / "b"}, folder / "mean");
  const SafetensorsFile mean(folder / "mean");
  ASSERT_EQ(mean.tensors().size(), 1U);
  EXPECT_EQ(mean.read<float>(mean.at("w")), (std::vector<float>{1.5F, 1.5F}));
  EXPECT_FALSE(mean.metadata().contains("update"));
}

TEST(Average, ListsWhatDoesNotFit) {
  const TemporaryFolder folder;
  write_model(folder / "a", 1);
  SafetensorsWriter writer;
  const std::vector<float> x = {1, 2, 3};
  writer.add("x", {3}, x);
  writer.add("z", {3}, x);
  writer.write(folder / "b");
  const std::string message = heed::test::message_of<DataError>([&] {
    average(Paths{folder / "a", folder / "b"}, folder / "mean");
  });
  for (const char* part :
       {"missing: n", "missing: y", "x is F32 [3], not F32 [2,1]", "only there: z"}) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "mean"));
}

TEST(Average, RefusesNoFilesAndWholeNumbersThatDiffer) {
  const TemporaryFolder folder;
  EXPECT_THROW(average({}, folder / "mean"), UsageError);
  write_model(folder / "a", 1, 7);
  write_model(folder / "b", 1, 8);
  EXPECT_NE(heed::test::message_of<DataError>([&] {
              average(Paths{folder / "a", folder / "b"}, folder / "mean");
            }).find("they have no mean"),
            std::string::npos);
}

}  // namespace
}  // namespace heed::training
