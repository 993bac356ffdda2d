// SPDX-License-Identifier: Apache-2.0
// What a subject says of what it has not.
#include "heed/explain/subject.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/explain/testing.h"

namespace heed::explain {
namespace {

TEST(Subject, IsAskedForAllOfItAndForNothing) {
  const SumSubject subject({1, 2}, 0, .5);
  EXPECT_EQ(subject.output(), 3.5);
  EXPECT_EQ(subject.output_of_nothing(Removal::mask), .5);
}

TEST(Subject, SaysWhatToAskInstead) {
  const SumSubject subject({1, 2});
  EXPECT_EQ(test::message_of<UsageError>([&] { subject.attention(); }),
            "this model has no attention to its words; explain it by leave_one_out");
  EXPECT_THROW(subject.attention_gradients(), UsageError);
  EXPECT_EQ(removal_names().size(), 3u);
}

}  // namespace
}  // namespace heed::explain
