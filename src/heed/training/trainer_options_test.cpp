// SPDX-License-Identifier: Apache-2.0
#include "heed/training/trainer_options.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"

namespace heed::training {
namespace {

// Options with these lines of a config read.
template <typename Check>
void with_config(const char* config, Check&& check) {
  TrainerOptions mine;
  Options options;
  mine.declare(options);
  options.read_toml_text(config, "config");
  check(mine);
}

TEST(TrainerOptions, ComeFromAConfig) {
  with_config(
      "optimiser = \"adamw\"\nweight-decay = 0.1\nbeta2 = 0.98\nschedule = \"cosine\"\n"
      "decay-updates = 900\nlearning-rate = 0.002\nmax-minutes = 1.5\nvalidate-every = \"1 epoch\"",
      [](const TrainerOptions& mine) {
        mine.check();
        const auto adam = std::get<Adam>(mine.method());
        EXPECT_TRUE(adam.decoupled);
        EXPECT_EQ(adam.weight_decay, 0.1);
        EXPECT_EQ(adam.beta2, 0.98);
        EXPECT_EQ(mine.schedule.decay, Decay::cosine);
        EXPECT_EQ(mine.schedule.peak, 0.002);
        EXPECT_EQ(mine.max_minutes, 1.5);
      });
}

TEST(TrainerOptions, EveryOptimiserHasItsMethod) {
  const auto method_of = [](const char* name) {
    TrainerOptions mine;
    mine.optimiser = name;
    mine.momentum = 0.5;
    return mine.method();
  };
  EXPECT_FALSE(std::get<Adam>(method_of("adam")).decoupled);
  EXPECT_EQ(std::get<Sgd>(method_of("sgd")).momentum, 0.5);
  EXPECT_EQ(std::get<RmsProp>(method_of("rmsprop")).momentum, 0.5);
  EXPECT_TRUE(std::holds_alternative<Adagrad>(method_of("adagrad")));
  EXPECT_EQ(std::get<Adadelta>(method_of("adadelta")).decay, 0.9);
  EXPECT_THROW(method_of("lion"), UsageError);
}

TEST(TrainerOptions, LeaveBiasesAndNormsUndecayedWhereMatricesAreAskedFor) {
  EXPECT_TRUE(TrainerOptions().groups().empty());
  with_config("decay-of = \"matrices\"", [](const TrainerOptions& mine) {
    const auto groups = mine.groups();
    ASSERT_EQ(groups.size(), 1u);
    EXPECT_EQ(groups[0].weight_decay, 0);
    EXPECT_TRUE(groups[0].members({"bias", Variable(Tensor::zeros({3}))}));
    EXPECT_FALSE(groups[0].members({"weight", Variable(Tensor::zeros({3, 1}))}));
  });
}

TEST(TrainerOptions, AreCheckedTogether) {
  with_config("schedule = \"step\"",
              [](const TrainerOptions& mine) { EXPECT_THROW(mine.check(), UsageError); });
  with_config("save-every = \"now\"",
              [](const TrainerOptions& mine) { EXPECT_THROW(mine.check(), UsageError); });
  with_config("validate-every = \"5 minutes\"", [](const TrainerOptions& mine) {
    EXPECT_NE(heed::test::message_of<UsageError>([&] {
                mine.check();
              }).find("it takes updates or epochs"),
              std::string::npos);
  });
}

TEST(TrainerOptions, NamesOfChangeableOnesExist) {
  TrainerOptions mine;
  Options options;
  mine.declare(options);
  for (const std::string& name : changeable_options()) {
    EXPECT_NE(options.find(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace heed::training
