// SPDX-License-Identifier: Apache-2.0
// Whose a file is.
#include "heed/base/output_file.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/safetensors.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using test::put;

TEST(OutputFile, ReplacesWhatHeedWroteAndNothingElse) {
  const test::TemporaryFolder folder;
  const std::filesystem::path file = folder / "picture.svg";
  EXPECT_NO_THROW(check_output(file)) << "there is none";
  put(file, "");
  EXPECT_NO_THROW(check_output(file)) << "nothing is in it";
  put(file, "<svg>mine</svg>\n");
  EXPECT_EQ(test::message_of<UsageError>([&] { check_output(file); }),
            file.string() +
                ": is there already, and nothing in it shows that heed wrote it; name another "
                "file, or replace it with --force");
  EXPECT_NO_THROW(check_output(file, {.force = true}));
  put(file, marked("<svg>" + std::string(100'000, ' ') + "</svg>\n"));
  EXPECT_NO_THROW(check_output(file));
  SafetensorsWriter answer;
  answer.set_metadata(std::string(kAnswerMark), "0.1.0");
  answer.write(file);
  EXPECT_NO_THROW(check_output(file));
  SafetensorsWriter weights;
  weights.set_metadata("heed", "0.1.0");
  weights.write(file);
  EXPECT_THROW(check_output(file), UsageError) << "a model is no picture of which there are more";
}

TEST(OutputFile, IsNeverAnInputByWhateverName) {
  const test::TemporaryFolder folder;
  put(folder / "trace.json", "{\"format\":\"heed-trace\"}");
  std::filesystem::create_hard_link(folder / "trace.json", folder / "hard");
  std::filesystem::create_symlink(folder / "trace.json", folder / "soft");
  for (const char* name : {"trace.json", "hard", "soft", "./trace.json"}) {
    const std::filesystem::path inputs[] = {"", folder / name};
    EXPECT_EQ(test::message_of<UsageError>(
                  [&] { check_output(folder / "trace.json", {.force = true, .inputs = inputs}); }),
              (folder / "trace.json").string() +
                  ": is read here and would be written over; name another file");
  }
}

TEST(OutputFile, MarksPngInAChunkBeforeItsEnd) {
  using namespace std::string_literals;
  const std::string end = "\0\0\0\0IEND\xAE\x42\x60\x82"s;
  const std::string png = "\x89PNG\r\n\x1a\n"s + "chunks" + end;
  const std::string content = marked(png);
  EXPECT_TRUE(content.ends_with(end));
  // The length, the kind, the text, and its CRC as zlib's crc32 gives it.
  EXPECT_EQ(content.substr(14, 25), "\0\0\0\x0DtEXtSoftware\0heed\xD8tK\x0F"s);
  EXPECT_EQ(marked(content), content) << "once is enough";
  EXPECT_EQ(marked(marked("<svg></svg>\n")), "<svg></svg>\n<!-- heed -->\n");
  EXPECT_EQ(marked("plain text"), "plain text");
}

}  // namespace
}  // namespace heed
