// SPDX-License-Identifier: Apache-2.0
// Installs this build into a folder and builds CMake projects against it, with the same compiler.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {

// The value of NAME:TYPE=VALUE in CMakeCache.txt of this build.
inline std::string cached(std::string_view name) {
  const std::string cache = get(HEED_BUILD_DIR "/CMakeCache.txt");
  for (const std::string_view line : split(cache, '\n')) {
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
      return std::string(line.substr(line.find('=') + 1));
    }
  }
  throw DataError("{}/CMakeCache.txt: has no {}", HEED_BUILD_DIR, name);
}

// Runs a program that must succeed, and gives what it printed. Its name is looked up on the path.
inline std::string must_run(std::vector<std::string> argv, const std::string& folder = {}) {
  argv.insert(argv.begin(), "/usr/bin/env");
  const ProgramResult result = run_program(argv, {.folder = folder});
  EXPECT_EQ(result.exit_code, 0) << join(argv, " ") << "\n" << result.out << result.err;
  return result.out;
}

inline void install_to(const std::filesystem::path& prefix) {
  must_run({"cmake", "--install", HEED_BUILD_DIR, "--prefix", prefix.string()});
}

// Configures and builds a project outside the tree that calls find_package(heed).
inline void build_against(const std::filesystem::path& prefix, const std::filesystem::path& source,
                          const std::filesystem::path& build) {
  must_run({"cmake", "-S", source.string(), "-B", build.string(), "-G", cached("CMAKE_GENERATOR"),
            "-DCMAKE_CXX_COMPILER=" + cached("CMAKE_CXX_COMPILER"),
            "-DCMAKE_PREFIX_PATH=" + prefix.string()});
  must_run({"cmake", "--build", build.string()});
}

}  // namespace heed::test
