// SPDX-License-Identifier: Apache-2.0
// A machine as one model among others, the files of its folder, and options that cannot be.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/comparison.h"
#include "heed/pipeline/machine/machine_runner.h"
#include "heed/pipeline/machine/machine_testing.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::message_of;
using test::TemporaryFolder;

TEST(Machine, IsAModelAmongOthers) {
  const TemporaryFolder folder;
  MachineOptions options;
  testing::set_small(options, folder.path());
  train(options, testing::silent);
  const std::unique_ptr<Model> model = open_model(options.out);
  EXPECT_EQ(model->kind().name, "machine");
  EXPECT_EQ(model->length("101 010"), 3);
  const std::vector<Input> inputs = {{.text = "101 010"}};
  EXPECT_EQ(model->run(inputs)[0][0].text.size(), 7u);  // "xxx xxx"
  EXPECT_LT(model->run(inputs)[0][0].score, 0);
  const insight::TracedExample traced = model->trace(inputs)[0];
  EXPECT_EQ(insight::strip_of(traced, "steps").tokens.size(), 5u);
  EXPECT_EQ(insight::strip_of(traced, "steps").tokens[2], "|");
  EXPECT_EQ(insight::strip_of(traced, "slots").tokens.size(), 12u);
  EXPECT_EQ(traced.attentions.size(), 2u);
  EXPECT_THROW(model->run(std::vector<Input>{{.text = "1x1"}}), UsageError);
  EXPECT_THROW(model->run(inputs, {{"beam", "2"}}), UsageError);

  const std::string file = (folder / "test.txt").string();
  write_atomically(file, "101 010\n111\n");
  ComparedModel measured;
  model->measure(std::vector<std::string>{file}, measured);
  EXPECT_EQ(measured.sentences, 2u);
  EXPECT_EQ(measured.units, 8);
  ASSERT_EQ(measured.measures.size(), 2u);
  EXPECT_EQ(measured.measures[0].name, "wrong bits %");
}

TEST(Machine, KeepsTheFormOfItsTask) {
  const TemporaryFolder folder;
  const corpora::BitForm form = corpora::usual_form(corpora::BitTask::repeat_copy);
  write_form(form, folder / "bits.toml");
  EXPECT_EQ(read_form(folder / "bits.toml"), form);
  write_atomically(folder / "bits.toml", "bits = \"many\"\n");
  EXPECT_THROW(read_form(folder / "bits.toml"), DataError);
}

TEST(Machine, KnowsFilesOfBits) {
  const TemporaryFolder folder;
  const std::string bits = (folder / "bits.txt").string(), words = (folder / "words.txt").string();
  write_atomically(bits, "10 01/1\n");
  write_atomically(words, "a few words\n");
  const MachineOptions options;
  EXPECT_EQ(options.suits(std::vector<std::string>{bits}), 1);
  EXPECT_EQ(options.suits(std::vector<std::string>{words}), 0);
}

TEST(Machine, RefusesTasksAndLengthsThatCannotBe) {
  const auto refused = [](auto change) {
    MachineOptions options;
    testing::set_small(options, "nowhere");
    change(options);
    return message_of<UsageError>([&] { options.check(); });
  };
  EXPECT_EQ(refused([](MachineOptions& options) { options.task = "coppy"; }),
            "--task coppy: there is no such task (did you mean \"copy\"?), and no such file; there "
            "are copy, repeat-copy, recall, ngrams, sort");
  EXPECT_EQ(refused([](MachineOptions& options) { options.shortest = 9; }),
            "--longest 4: it is below --shortest 9");
  EXPECT_EQ(refused([](MachineOptions& options) {
              options.task = "recall";
              options.shortest = 1;
            }),
            "--shortest 1: recall takes 2 items or more");
  EXPECT_EQ(refused([](MachineOptions& options) {
              options.task = "ngrams";
              options.longest = 200;
            }),
            "--bits 3: ngrams are made of single bits; leave it out");
}

TEST(Machine, ReadsWhichSlotsAreOverwritten) {
  const Overwritten all = parse_overwritten("12=7@30");
  EXPECT_EQ(all.slot, 11);
  EXPECT_EQ(all.by, 6);
  EXPECT_EQ(all.step, 29);
  EXPECT_EQ(parse_overwritten("12@30").by, -1);
  EXPECT_EQ(parse_overwritten("12=7").step, -1);
  EXPECT_THROW(parse_overwritten("0"), UsageError);
  EXPECT_THROW(parse_overwritten("x@3"), UsageError);
}

}  // namespace
}  // namespace heed::pipeline
