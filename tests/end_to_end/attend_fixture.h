// SPDX-License-Identifier: Apache-2.0
// For tests of `heed attend`: tensors into a file, the program over it, results out of another.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "heed/base/safetensors.h"
#include "run_program.h"

namespace heed::test {

using Shape = std::vector<std::size_t>;

struct Given {
  Shape shape;
  std::vector<float> values;
};

// Numbers that repeat in no axis.
inline Given wavy(const Shape& shape, double phase = 0) {
  std::size_t count = 1;
  for (const std::size_t size : shape) count *= size;
  Given given{shape, {}};
  for (std::size_t i = 0; i < count; ++i) {
    given.values.push_back(static_cast<float>(std::sin(0.7 * static_cast<double>(i) + phase)));
  }
  return given;
}

// A folder with in.safetensors, and out.safetensors once heed has run.
class HeedAttend : public ::testing::Test {
 protected:
  // The program over in.safetensors, whatever comes of it.
  ProgramResult run(const std::string& spec, std::vector<std::string> more = {}) {
    SafetensorsWriter writer;
    for (const auto& [name, tensor] : inputs) writer.add(name, tensor.shape, tensor.values);
    if (!allowed.empty()) {
      writer.add("mask", DType::kBool, mask_shape, std::as_bytes(std::span(allowed)));
    }
    if (!lengths.empty()) writer.add("lengths", {lengths.size()}, lengths);
    for (const auto& [name, ids] : whole) writer.add(name, {ids.size()}, ids);
    writer.write(folder_ / "in.safetensors");
    more.insert(more.begin(), {"attend", spec, "--input", (folder_ / "in.safetensors").string(),
                               "--output", (folder_ / "out.safetensors").string()});
    return run_heed(more);
  }
  // What it says when it refuses; empty when it does not, or not as a mistake of the user.
  std::string refusal(const std::string& spec, const std::vector<std::string>& more = {}) {
    const ProgramResult result = run(spec, more);
    EXPECT_EQ(result.exit_code, 2) << spec << ": " << result.err;
    return result.err;
  }
  void attend(const std::string& spec, const std::vector<std::string>& more = {}) {
    const ProgramResult result = run(spec, more);
    ASSERT_EQ(result.exit_code, 0) << result.err;
  }
  std::vector<double> out(const std::string& name) const {
    const SafetensorsFile file(folder_ / "out.safetensors");
    return file.read<double>(file.at(name));
  }
  Shape shape(const std::string& name) const {
    return SafetensorsFile(folder_ / "out.safetensors").at(name).shape;
  }
  bool has(const std::string& name) const {
    return SafetensorsFile(folder_ / "out.safetensors").find(name) != nullptr;
  }

  std::map<std::string, Given> inputs;
  Shape mask_shape;
  std::vector<std::uint8_t> allowed;
  std::vector<std::int64_t> lengths;
  std::map<std::string, std::vector<std::int64_t>> whole;  // lists of whole numbers by name

  std::string path_of(const std::string& file) const { return (folder_ / file).string(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace heed::test
