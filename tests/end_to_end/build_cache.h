// SPDX-License-Identifier: Apache-2.0
// How this build was made: compiler and generator, so that tests that compile do as the build did.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/base/testing.h"
#include "heed/base/text.h"
#include "run_program.h"

namespace heed::test {

// The value of NAME:TYPE=VALUE in CMakeCache.txt.
inline std::string cached(std::string_view name) {
  const std::string cache = get(HEED_BUILD_DIR "/CMakeCache.txt");
  for (const std::string_view line : split(cache, '\n')) {
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
      return std::string(line.substr(line.find('=') + 1));
    }
  }
  throw DataError("{}/CMakeCache.txt: has no {}", HEED_BUILD_DIR, name);
}

// The words of a command line, run by the shell: programs are found on the path.
inline ProgramResult run_shell(const std::string& line, const ProgramSetting& setting = {}) {
  return run_program({"/bin/bash", "-c", line}, setting);
}

}  // namespace heed::test
