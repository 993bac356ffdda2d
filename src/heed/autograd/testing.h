// SPDX-License-Identifier: Apache-2.0
// For gradient-check tests: fails when a layer records an op that no gradcheck() of its test
// program has passed.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#include "heed/autograd/gradcheck.h"

namespace heed::testing {

// The names in record("name", ...) and record_many("name", ...) of the sources in a folder.
inline std::set<std::string> recorded_names(const std::filesystem::path& folder) {
  const std::regex call("record(?:_many)?\\(\\s*\"([a-z_0-9]+)\"");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".cpp" || path.ends_with("_test.cpp")) continue;
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    const std::string source = text.str();
    for (std::sregex_iterator match(source.begin(), source.end(), call), end; match != end;
         ++match) {
      names.insert((*match)[1]);
    }
  }
  return names;
}

// Put one into a layer's gradcheck_test.cpp:
//   const auto* const kCoverage =
//       ::testing::AddGlobalTestEnvironment(new testing::GradcheckCoverage("src/heed/autograd"));
class GradcheckCoverage : public ::testing::Environment {
 public:
  explicit GradcheckCoverage(std::string layer) : layer_(std::move(layer)) {}
  void TearDown() override {
    if (::testing::GTEST_FLAG(filter) != "*") return;  // only some tests have run
    const std::set<std::string> names =
        recorded_names(std::filesystem::path(HEED_SOURCE_DIR) / layer_);
    EXPECT_FALSE(names.empty()) << "no recorded op was found in " << layer_;
    for (const std::string& name : names) {
      EXPECT_TRUE(passed_ops().contains(name))
          << "op \"" << name << "\" of " << layer_
          << " has no gradient check: add a case to a gradcheck_test.cpp";
    }
  }

 private:
  std::string layer_;
};

}  // namespace heed::testing
