// SPDX-License-Identifier: Apache-2.0
// `heed curves`: several trainings in one picture, and their event files.
#include <gtest/gtest.h>

#include <filesystem>

#include "heed/base/file.h"
#include "run_program.h"

namespace heed::test {
namespace {

std::string run_folder(const TemporaryFolder& folder, const std::string& name, double loss) {
  std::filesystem::create_directories(folder / name);
  put(folder / name / "curve.tsv",
      fmt::format("bleu\t20:11.5\ntraining loss\t10:{} 20:{}\n", loss, loss / 2));
  return (folder / name).string();
}

TEST(HeedCurves, DrawsSeveralRunsInOnePicture) {
  const TemporaryFolder folder;
  const std::string one = run_folder(folder, "one", 4), two = run_folder(folder, "two", 3);
  const std::string svg = (folder / "curves.svg").string();
  const ProgramResult drawn = run_heed({"curves", one, two, "--svg", svg});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  const std::string picture = read_file(svg);
  EXPECT_NE(picture.find("/one</text>"), std::string::npos);
  EXPECT_NE(picture.find("/two</text>"), std::string::npos);
  // Again, it replaces what it wrote itself; a file of the user's it leaves alone.
  EXPECT_EQ(run_heed({"curves", one, "--svg", svg}).exit_code, 0);
  put(folder / "mine.svg", "mine");
  EXPECT_EQ(run_heed({"curves", one, "--svg", (folder / "mine.svg").string()}).exit_code, 2);
  const ProgramResult table = run_heed({"curves", one, two});
  EXPECT_NE(table.out.find("/two  training loss: 2 points, last 1.5 at update 20\n"),
            std::string::npos)
      << table.out;
}

TEST(HeedCurves, WritesEventFiles) {
  const TemporaryFolder folder;
  const std::string one = run_folder(folder, "one", 4);
  const ProgramResult written =
      run_heed({"curves", one, "--tensorboard", (folder / "logs").string()});
  ASSERT_EQ(written.exit_code, 0) << written.err;
  const std::string path(written.out.substr(0, written.out.find('\n')));
  EXPECT_NE(read_file(path).find("brain.Event:2"), std::string::npos);
}

TEST(HeedCurves, SaysWhatIsMissing) {
  const TemporaryFolder folder;
  const std::string one = run_folder(folder, "one", 4);
  const ProgramResult none = run_heed({"curves", folder.path().string()});
  EXPECT_EQ(none.exit_code, 3);
  EXPECT_NE(none.err.find("there is no curve.tsv in it"), std::string::npos) << none.err;
  const ProgramResult metric =
      run_heed({"curves", one, "--metrics", "blue", "--svg", (folder / "x.svg").string()});
  EXPECT_EQ(metric.exit_code, 2);
  EXPECT_NE(metric.err.find("did you mean \"bleu\"?"), std::string::npos) << metric.err;
  EXPECT_EQ(run_heed({"curves"}).exit_code, 2);
}

}  // namespace
}  // namespace heed::test
