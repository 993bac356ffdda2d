// SPDX-License-Identifier: Apache-2.0
// An installed Heed serves a program outside the tree: find_package, headers, library, and `heed`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "heed/base/file.h"
#include "installed.h"

namespace heed::test {
namespace {

#ifdef __SANITIZE_ADDRESS__
constexpr int kLibrariesOfSanitizers = 2;
#else
constexpr int kLibrariesOfSanitizers = 0;
#endif

std::filesystem::path library(const std::filesystem::path& prefix, const std::string& name) {
  return prefix / cached("CMAKE_INSTALL_LIBDIR") / name;
}

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

// What a program that only attends gets: a library of its own, with little behind it.
TEST(Install, ServesAProgramThatAttendsWithFewLibraries) {
  const TemporaryFolder folder;
  const std::filesystem::path prefix = folder / "prefix";
  install_to(prefix);
  write_atomically(folder / "CMakeLists.txt",
                   "cmake_minimum_required(VERSION 3.25)\nproject(attends LANGUAGES CXX)\n"
                   "find_package(heed REQUIRED COMPONENTS core)\n"
                   "if(TARGET heed::heed)\n  message(FATAL_ERROR \"more than core\")\nendif()\n"
                   "add_executable(attends main.cpp part.cpp)\n"
                   "target_link_libraries(attends PRIVATE heed::core)\n"
                   "set_target_properties(attends PROPERTIES NO_SYSTEM_FROM_IMPORTED ON)\n"
                   "set_source_files_properties(main.cpp PROPERTIES COMPILE_OPTIONS "
                   "\"-Wall;-Wextra;-Wshadow;-Werror\")\n");
  // A part of the program's own is found in the library's catalogue.
  write_atomically(folder / "part.cpp",
                   get(HEED_SOURCE_DIR "/examples/own_normaliser/quiet_softmax.cpp"));
  write_atomically(
      folder / "main.cpp",
      "#include <cstdio>\n#include <heed/core.h>\n"
      "int main() {\n"
      "  heed::Random random(1);\n"
      "  const heed::attention::MultiHead heads({.mechanism = \"scaled_dot | causal | "
      "quiet_softmax\", .query_width = 8, .heads = 2}, random);\n"
      "  const heed::Tensor x = heed::Tensor::full({1, 3, 8}, 1);\n"
      "  std::printf(\"%s %s\\n\", heads(x, x, x).shape().text().c_str(), heed::version());\n"
      "  static_assert(HEED_VERSION_NUMBER >= 100);\n"
      "  try {\n    heads(x, heed::Tensor(), x);\n  } catch (const heed::UsageError&) {\n"
      "    std::puts(\"refused\");\n  }\n}\n");
  build_against(prefix, folder.path(), folder / "build");
  EXPECT_EQ(must_run({(folder / "build/attends").string()}), "[1,3,8] " HEED_VERSION "\nrefused\n");
  const std::string behind = must_run({"ldd", (library(prefix, "libheed_core.so")).string()});
  const auto found = std::count(behind.begin(), behind.end(), '>');  // NAME => PATH
  EXPECT_LE(found, 8 + kLibrariesOfSanitizers) << behind;
  EXPECT_GE(found, 4) << behind;
  for (const char* heavy : {"pango", "cairo", "X11", "sentencepiece", "OpenCL", "dnnl", "libz."}) {
    EXPECT_EQ(behind.find(heavy), std::string::npos) << heavy << " in\n" << behind;
  }
}

TEST(Install, ServesAProgramBuiltByPkgConfig) {
  if (kLibrariesOfSanitizers > 0) GTEST_SKIP() << "the program would need AddressSanitizer as well";
  const TemporaryFolder folder;
  const std::filesystem::path prefix = folder / "prefix";
  install_to(prefix);
  const std::string pkg_config = library(prefix, "pkgconfig").string();
  write_atomically(folder / "main.cpp",
                   "#include <cstdio>\n#include <heed/metrics/bleu.h>\n#include <heed/version.h>\n"
                   "int main() { std::puts(heed::version()); }\n");
  for (const char* package : {"heed-core", "heed"}) {
    const std::string flags =
        must_run({"PKG_CONFIG_PATH=" + pkg_config, "pkg-config", "--cflags", "--libs", package});
    must_run({"sh", "-c",
              fmt::format("{} -std=c++20 main.cpp -o main {} -Wl,-rpath,{}",
                          cached("CMAKE_CXX_COMPILER"), trim(flags), library(prefix, "").string())},
             folder.path().string());
    EXPECT_EQ(must_run({(folder / "main").string()}), HEED_VERSION "\n") << package;
  }
}

// A minor version may change the interface, so a program must not be given another one.
TEST(Install, NamesLibrariesByMajorAndMinorVersion) {
  const TemporaryFolder folder;
  install_to(folder / "prefix");
  const std::string version = HEED_VERSION;
  const std::string interface = version.substr(0, version.rfind('.'));
  for (const std::string name : {"libheed.so", "libheed_core.so"}) {
    const std::string about =
        must_run({"readelf", "-d", library(folder / "prefix", name).string()});
    EXPECT_NE(about.find(fmt::format("soname: [{}.{}]", name, interface)), std::string::npos)
        << about;
  }
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
