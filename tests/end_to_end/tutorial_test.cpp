// SPDX-License-Identifier: Apache-2.0
// Tutorials reach the figures they show. docs_test runs the same commands and lets any number stand
// for any other; here numbers are compared.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <regex>

#include "documents.h"
#include "run_program.h"

namespace heed::test {
namespace {

// Numbers of a line in their order.
std::vector<double> numbers_in(const std::string& line) {
  static const std::regex number(R"((\d+\.\d+|\.\d+|\d+))");
  std::vector<double> found;
  for (std::sregex_iterator at(line.begin(), line.end(), number), end; at != end; ++at) {
    found.push_back(std::stod(at->str()));
  }
  return found;
}

// Shares may differ by what other seeds and other CPUs make of them, counts not at all.
void expect_near(const std::string& shown, const std::string& printed) {
  const std::vector<double> wanted = numbers_in(shown);
  const std::vector<double> found = numbers_in(printed);
  ASSERT_EQ(wanted.size(), found.size()) << shown << "\n" << printed;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool share = wanted[i] <= 1 && found[i] <= 1;
    EXPECT_NEAR(wanted[i], found[i], share ? .06 : 0) << shown << "\n" << printed;
  }
}

TEST(Tutorial, OfClassificationReachesTheFiguresItShows) {
  const TemporaryFolder folder;
  const std::string programs = std::filesystem::path(HEED_PROGRAM).parent_path().string();
  const ProgramSetting setting{
      .environment = {{"PATH", fmt::format("{}:{}", programs, getenv("PATH"))},
                      {"HEED_THREADS", "1"}},
      .folder = folder.path().string()};
  int compared = 0;
  for (const Block& block : blocks_of(get(HEED_SOURCE_DIR "/docs/classification.md"))) {
    if (!block.kind.starts_with("console")) continue;
    for (const Command& command : commands_of(block)) {
      const ProgramResult result = run_program({"/bin/bash", "-c", command.line}, setting);
      ASSERT_EQ(result.exit_code, 0) << command.line << "\n" << result.err;
      // Lines with "..." are shown in part, and log lines go to the other stream: those that are
      // shown whole come in the order of the output.
      const std::vector<std::string_view> printed = split(result.out, '\n');
      std::size_t at = 0;
      for (const std::string_view shown : split(trim(command.output), '\n')) {
        if (shown.empty() || shown.find("...") != shown.npos) continue;
        const std::string loose = loosely(std::string(shown));
        while (at < printed.size() && loosely(std::string(printed[at])) != loose) ++at;
        ASSERT_LT(at, printed.size()) << shown << "\nis not in\n" << result.out;
        expect_near(std::string(shown), std::string(printed[at]));
        ++at;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 9);
}

}  // namespace
}  // namespace heed::test
