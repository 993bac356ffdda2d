// SPDX-License-Identifier: Apache-2.0
// Trainings of machines: they learn, go on to the same bits, and warn of too few slots.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/machine/machine_runner.h"
#include "heed/pipeline/machine/machine_testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;
using testing::silent;

TEST(TrainMachine, LearnsToCopyAndASlotThatIsOverwrittenChangesItsStepAlone) {
  const TemporaryFolder folder;
  MachineOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 600;
  const TrainingReport report = train(options, silent);
  EXPECT_LE(report.outcome.best.at("wrong"), .01);
  EXPECT_EQ(report.data, "9600 fresh sequences of 1 to 4 vectors");

  const MachineRunner runner(options.out);
  const MachineRun run = runner.run(runner.pose("101 010 111 001"));
  EXPECT_EQ(run.answer(), "101 010 111 001");
  EXPECT_EQ(run.wrong, 0);
  EXPECT_EQ(run.reads.shape(), (Shape{1, 9, 12}));
  EXPECT_EQ(run.first_asked(), 5);
  // The slot that the third vector went to gets what that of the second holds.
  const auto written = [&](std::int64_t step) {
    const Tensor row = run.writes.select(0, 0).select(0, step).packed();
    return std::max_element(row.data(), row.data() + row.size()) - row.data();
  };
  const std::vector<Overwritten> change = {{.slot = written(2), .by = written(1)}};
  const MachineRun changed = runner.run(run.sequence, change);
  EXPECT_EQ(changed.changed(run), (std::vector<std::int64_t>{7})) << changed.answer();
  EXPECT_EQ(changed.output(7), "010");
  // No weight depends on the number of slots.
  EXPECT_EQ(MachineRunner(options.out, 20).run(run.sequence).reads.size(2), 20);
}

class EveryMachine : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryMachine, InTwoRunsGivesTheWeightsOfOne) {
  const TemporaryFolder folder;
  const std::string file = (folder / "bits.txt").string();
  std::string text;
  for (int i = 0; i < 40; ++i) text += i % 3 == 0 ? "10 01/1 11/0\n" : "01 11/0\n";
  write_atomically(file, text);
  const auto trained = [&](const std::string& name, const std::vector<std::int64_t>& ends) {
    MachineOptions options;
    testing::set_small(options, folder / name);
    options.valid_sequences = 0;  // the latest is kept, not the best
    if (GetParam() == "file") options.task = file;
    if (GetParam() == "lstm") options.model.kind = BitModelKind::lstm;
    if (GetParam() == "heads") {
      options.task = "recall";
      options.longest = 3;
      options.model.machine.controller = models::Controller::lstm;
      options.model.machine.read_heads = 2;
      options.model.machine.write_heads = 2;
    }
    if (GetParam() == "dnc") options.model.machine.addressing = models::Addressing::dnc;
    for (const std::int64_t updates : ends) {
      options.trainer.max_updates = updates;
      train(options, silent);
    }
    return read_file(options.out + "/model.safetensors");
  };
  EXPECT_TRUE(trained("whole", {12}) == trained("parts", {7, 12}));
}

INSTANTIATE_TEST_SUITE_P(All, EveryMachine,
                         ::testing::Values("copy", "heads", "lstm", "dnc", "file"),
                         [](const auto& info) { return info.param; });

TEST(TrainMachine, WarnsOfFewerSlotsThanVectors) {
  const TemporaryFolder folder;
  MachineOptions options;
  testing::set_small(options, folder.path());
  options.model.machine.slots = 3;
  options.trainer.max_updates = 1;
  std::string said;
  train(options, [&](std::string_view line) { said += std::string(line) + "\n"; });
  EXPECT_NE(said.find("--slots 3: the longest sequences have 4 vectors"), std::string::npos)
      << said;
}

}  // namespace
}  // namespace heed::pipeline
