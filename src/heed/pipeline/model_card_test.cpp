// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/model_card.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heed::pipeline {
namespace {

TEST(ModelCard, ListsFactsAndMeasurementsAndTheCommandThatUsesIt) {
  const ModelCard card{.title = "tiny",
                       .kind = "A counter",
                       .facts = {{"parameters", "12"}},
                       .measured = {{"loss", .25}},
                       .use = "heed count --model tiny"};
  EXPECT_EQ(card.text(),
            fmt::format("# tiny\n\nA counter made by heed {}.\n\n| | |\n|---|---|\n"
                        "| parameters | 12 |\n| validation loss | 0.25 |\n\nUse it:\n\n"
                        "    heed count --model tiny\n\n"
                        "Every option of its training is in config.toml.\n",
                        HEED_VERSION));
}

}  // namespace
}  // namespace heed::pipeline
