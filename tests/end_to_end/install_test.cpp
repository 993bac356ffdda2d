// SPDX-License-Identifier: Apache-2.0
// An installed Heed serves a program outside the tree: find_package, headers, library, and `heed`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "heed/base/file.h"
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

TEST(Install, PutsPublicHeadersInPlaceWithWhatTheyIncludeAndNoOthers) {
  const TemporaryFolder folder;
  install_to(folder / "prefix");
  const std::filesystem::path include = folder / "prefix/include";
  for (const char* hidden : {"base/testing.h", "kernels/math-inl.h", "kernels/highway.h",
                             "kernels/spin_barrier.h", "attention/compose/weigh.h"}) {
    EXPECT_FALSE(exists(include / "heed" / hidden)) << hidden;
  }
  std::string program;
  int headers = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(include)) {
    if (!entry.is_regular_file() ||
        get(entry.path()).find("// public header\n") == std::string::npos) {
      continue;
    }
    ++headers;
    program += fmt::format("#include \"{}\"\n",
                           std::filesystem::relative(entry.path(), include).generic_string());
  }
  EXPECT_GE(headers, 100);
  write_atomically(folder / "all.cpp", program);
  must_run({cached("CMAKE_CXX_COMPILER"), "-std=c++20", "-fopenmp", "-fsyntax-only",
            "-DHEED_REAL=float", "-I" + include.string(), (folder / "all.cpp").string()});
}

}  // namespace
}  // namespace heed::test
