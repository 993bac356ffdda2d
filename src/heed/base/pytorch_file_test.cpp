// SPDX-License-Identifier: Apache-2.0
// PyTorch's files: what PyTorch 1.13 wrote comes back, and a program in them never runs.
#include "heed/base/pytorch_file.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/safetensors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

fs::path golden_pytorch(const char* file) {
  return fs::path(HEED_SOURCE_DIR) / "tests/golden/hf/pytorch-bin" / file;
}

// The largest difference from the tensors of the same state dict as safetensors.
double worst_difference(const char* file) {
  const SafetensorsFile wanted(golden_pytorch("expected.safetensors"));
  const PytorchFile found(golden_pytorch(file));
  double worst = 0;
  std::size_t floating = 0;
  for (const PytorchTensor& tensor : found.tensors()) {
    if (!is_floating(tensor.dtype)) continue;
    ++floating;
    const TensorInfo& info = wanted.at(tensor.name);
    EXPECT_EQ(tensor.shape, info.shape) << tensor.name;
    std::vector<double> values(tensor.count);
    found.read<double>(tensor, values);
    const std::vector<double> known = wanted.read<double>(info);
    for (std::size_t i = 0; i < known.size(); ++i) {
      worst = std::max(worst, std::abs(values[i] - known[i]) / std::max(1., std::abs(known[i])));
    }
  }
  EXPECT_EQ(floating, wanted.tensors().size());
  return worst;
}

TEST(PytorchFile, HasTheTensorsThatWereSaved) {
  EXPECT_EQ(worst_difference("pytorch_model.bin"), 0);
  EXPECT_LE(worst_difference("half.bin"), 0x1p-11);
  EXPECT_LE(worst_difference("bfloat16.bin"), 0x1p-8);
}

TEST(PytorchFile, RefusesAProgramWithTheNameOfWhatItWouldRun) {
  const std::string message =
      test::message_of<DataError>([] { PytorchFile file(golden_pytorch("hostile.bin")); });
  EXPECT_NE(message.find("asks to run a program"), std::string::npos) << message;
  EXPECT_NE(message.find("print"), std::string::npos) << message;
}

TEST(PytorchFile, SaysHowToConvertTheFormBefore16) {
  const std::string message =
      test::message_of<DataError>([] { PytorchFile file(golden_pytorch("legacy.bin")); });
  EXPECT_NE(message.find("before 1.6"), std::string::npos) << message;
  EXPECT_NE(message.find("torch.load"), std::string::npos) << message;
}

TEST(PytorchFile, RefusesWhatIsCutOffOrChanged) {
  const std::string whole = test::get(golden_pytorch("pytorch_model.bin"));
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, whole.size() / 2, whole.size() - 1}) {
    const std::string part = whole.substr(0, size);
    EXPECT_THROW(PytorchFile::from_memory(std::as_bytes(std::span(part)), "input"), DataError);
  }
  // A storage that says it has one value more.
  std::string other = whole;
  const std::size_t at = other.find("M\x00\x06t", 0, 4);
  ASSERT_NE(at, std::string::npos);
  other[at + 1] = '\x01';
  EXPECT_NE(test::message_of<DataError>([&] {
              PytorchFile::from_memory(std::as_bytes(std::span(other)), "input");
            }).find("has not the 1537 values it says"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
