// SPDX-License-Identifier: Apache-2.0
// Files read whole.
#include "heed/images/image_bytes.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"

namespace heed::images {
namespace {

TEST(ImageBytes, AreAllOfTheFile) {
  const test::TemporaryFolder folder;
  const std::string bytes(600'000, 'x');  // more than is read at once
  write_atomically(folder / "f", bytes);
  EXPECT_EQ(read_image_bytes(folder / "f"), bytes);
  EXPECT_THROW(read_image_bytes(folder / "none"), DataError);
}

}  // namespace
}  // namespace heed::images
