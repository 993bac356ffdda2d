// SPDX-License-Identifier: Apache-2.0
// An installed Heed serves a program outside the tree: find_package, headers, library, and `heed`.
#include <gtest/gtest.h>

#include "build_cache.h"

namespace heed {
namespace {

using test::cached;
using test::ProgramResult;
using test::run_shell;
using test::TemporaryFolder;

class Install : public ::testing::Test {
 protected:
  // Runs the line and demands success.
  static std::string run(const std::string& line, const std::string& folder = {}) {
    const ProgramResult result = run_shell(line, {.folder = folder});
    EXPECT_EQ(result.exit_code, 0) << line << "\n" << result.out << result.err;
    return result.out;
  }

  TemporaryFolder folder_;
  const std::string prefix_ = (folder_ / "prefix").string();
};

TEST_F(Install, ServesAProgramOutsideTheTree) {
  run("cmake --install " HEED_BUILD_DIR " --prefix " + prefix_);
  const std::string build = (folder_ / "embed").string();
  run("cmake -S " HEED_SOURCE_DIR "/examples/embed -B " + build + " -G '" +
      cached("CMAKE_GENERATOR") + "' -DCMAKE_CXX_COMPILER=" + cached("CMAKE_CXX_COMPILER") +
      " -DCMAKE_PREFIX_PATH=" + prefix_);
  run("cmake --build " + build);
  EXPECT_EQ(run(build + "/embed", folder_.path().string()), "exclusive or: [4] 0 1 1 0\n");

  EXPECT_EQ(run(prefix_ + "/bin/heed --version"), "heed " HEED_VERSION "\n");
  // What one program saved, the other reads.
  const std::string listed =
      run(prefix_ + "/bin/heed tensors xor.safetensors", folder_.path().string());
  EXPECT_NE(listed.find("first.weight   F32    [16,2]"), std::string::npos) << listed;
}

TEST_F(Install, LeavesTheHeadersOfTestsAndKernelSourcesOut) {
  run("cmake --install " HEED_BUILD_DIR " --prefix " + prefix_);
  const std::filesystem::path headers = prefix_ + "/include/heed";
  EXPECT_TRUE(exists(headers / "autograd/ops.h"));
  EXPECT_FALSE(exists(headers / "base/testing.h"));
  EXPECT_FALSE(exists(headers / "kernels/math-inl.h"));
  EXPECT_FALSE(exists(headers / "kernels/highway.h"));
}

}  // namespace
}  // namespace heed
