// SPDX-License-Identifier: Apache-2.0
// Replays the corpus of the fuzz target of traces.
#include "heed/insight/trace_fuzz.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "heed/base/testing.h"

namespace heed::test {
namespace {

TEST(TraceCorpus, IsReadAndRefusedAsItsNamesSay) {
  int valid = 0;
  int bad = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(HEED_SOURCE_DIR "/tests/fuzz/trace")) {
    const std::string name = entry.path().filename();
    const bool read = parse_as_trace(get(entry.path()));
    if (name.starts_with("valid_")) {
      EXPECT_TRUE(read) << name << " was refused";
      ++valid;
    } else {
      EXPECT_FALSE(read) << name << " was read";
      ++bad;
    }
  }
  EXPECT_GE(valid, 8);
  EXPECT_GE(bad, 20);
}

}  // namespace
}  // namespace heed::test
