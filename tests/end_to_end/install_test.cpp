// SPDX-License-Identifier: Apache-2.0
// An installed Heed serves a program outside the tree: find_package, headers, library, and `heed`.
#include <gtest/gtest.h>

#include "installed.h"

namespace heed::test {
namespace {

TEST(Install, ServesAProgramOutsideTheTree) {
  const TemporaryFolder folder;
  const std::string here = folder.path().string();
  install_to(folder / "prefix");
  build_against(folder / "prefix", HEED_SOURCE_DIR "/examples/embed", folder / "build");
  EXPECT_EQ(must_run({here + "/build/embed"}, here), "exclusive or: [4] 0 1 1 0\n");

  const std::string heed = here + "/prefix/bin/heed";
  EXPECT_EQ(must_run({heed, "--version"}), "heed " HEED_VERSION "\n");
  // What one program saved, the other reads.
  const std::string listed = must_run({heed, "tensors", "xor.safetensors"}, here);
  EXPECT_NE(listed.find("first.weight   F32    [16,2]"), std::string::npos) << listed;
}

TEST(Install, LeavesTheHeadersOfTestsAndKernelSourcesOut) {
  const TemporaryFolder folder;
  install_to(folder / "prefix");
  const std::filesystem::path headers = folder / "prefix/include/heed";
  EXPECT_TRUE(exists(headers / "autograd/ops.h"));
  EXPECT_FALSE(exists(headers / "base/testing.h"));
  EXPECT_FALSE(exists(headers / "kernels/math-inl.h"));
  EXPECT_FALSE(exists(headers / "kernels/highway.h"));
}

}  // namespace
}  // namespace heed::test
