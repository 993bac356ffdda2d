// SPDX-License-Identifier: Apache-2.0
// Tests of lines and of the bytes below them.
#include "heed/text/lines.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/text/bytes.h"
#include "heed/text/testing.h"

namespace heed::text {
namespace {

using test::all_lines;
using test::holds;
using test::joined_lines;
using test::lines_of;
using test::made_up_lines;
using test::message_of;
using test::packed;
using test::put;
using test::TemporaryFolder;

std::string reading(const std::filesystem::path& path) {
  return message_of<DataError>([&] { lines_of(path); });
}

TEST(LineReader, CutsAtLineFeedsAndStripsWhatIsNoText) {
  const TemporaryFolder folder;
  put(folder / "f", "\xEF\xBB\xBFun\r\n\ndeux\ntrois");
  EXPECT_EQ(lines_of(folder / "f"), (std::vector<std::string>{"un", "", "deux", "trois"}));
  put(folder / "empty", "");
  EXPECT_TRUE(lines_of(folder / "empty").empty());
}

TEST(LineReader, ReadsGzOfSeveralMembersAsItsPlainText) {
  const TemporaryFolder folder;
  const std::vector<std::string> lines = made_up_lines(20'000, 8);
  const std::string text = joined_lines(lines);
  put(folder / "f", packed(text.substr(0, 100'001)) + packed("") + packed(text.substr(100'001)) +
                        std::string(512, '\0'));
  EXPECT_EQ(lines_of(folder / "f"), lines);
}

TEST(LineReader, GoesOnFromAnyPosition) {
  const TemporaryFolder folder;
  const std::string text = "eins\r\nzwei\n\nvier\nohne Ende";
  put(folder / "plain", text);
  put(folder / "gz", packed(text));
  for (const char* name : {"plain", "gz"}) {
    const std::vector<std::string> all = lines_of(folder / name);
    LineReader first(folder / name);
    LineReader second(folder / name);
    for (std::size_t taken = 0; taken <= all.size(); ++taken) {
      second.seek(first.position());
      EXPECT_EQ(second.line(), taken);
      EXPECT_EQ(all_lines(second), std::vector<std::string>(all.begin() + taken, all.end()));
      std::string line;
      first.next(line);
    }
  }
}

TEST(LineReader, RefusesPositionsWhereNoLineBegins) {
  const TemporaryFolder folder;
  put(folder / "f", "eins\nzwei\n");
  LineReader reader(folder / "f");
  const auto going = [&](std::uint64_t bytes) {
    return message_of<DataError>([&] { reader.seek({.bytes = bytes, .lines = 1}); });
  };
  EXPECT_TRUE(holds(going(3), "no line begins at byte 3"));
  EXPECT_TRUE(holds(going(99), "has the file changed?"));
}

TEST(LineReader, NamesFileLineAndByteOfBadText) {
  const TemporaryFolder folder;
  put(folder / "latin", "gut\nsch\xF6n\n");
  EXPECT_TRUE(holds(reading(folder / "latin"), "latin:2: byte 4 of the line (0xF6) is not UTF-8"));
  EXPECT_TRUE(holds(reading(folder / "latin"), "iconv"));
  put(folder / "nul", std::string_view("a\nb\0c\n", 6));
  EXPECT_TRUE(holds(reading(folder / "nul"), "nul:2: byte 2 of the line is NUL"));
  put(folder / "long", std::string(17 * 1024 * 1024, 'x'));
  EXPECT_TRUE(holds(reading(folder / "long"), "long:1: the line has more than 16.0 MiB"));
}

TEST(LineReader, NamesTheEncodingAndHowToConvertIt) {
  const TemporaryFolder folder;
  const auto found = [&](std::string_view bytes) {
    put(folder / "f", bytes);
    return reading(folder / "f");
  };
  using namespace std::string_view_literals;
  EXPECT_TRUE(holds(found("\xFF\xFE"
                          "g\0u\0t\0\n\0"sv),
                    "f:1: the file is UTF-16, and Heed reads "
                    "UTF-8; convert it with `iconv -f UTF-16 -t "
                    "UTF-8 "));
  EXPECT_TRUE(holds(found("\xFE\xFF\0g\0u\0t\0\n"sv), "iconv -f UTF-16 "));
  EXPECT_TRUE(holds(found("g\0u\0t\0\n\0"sv), "iconv -f UTF-16LE "));
  EXPECT_TRUE(holds(found("\0g\0u\0t\0\n"sv), "iconv -f UTF-16BE "));
  EXPECT_TRUE(holds(found("\xFF\xFE\0\0g\0\0\0"sv), "iconv -f UTF-32 "));
  EXPECT_TRUE(holds(found("sch\xF6n\n"),
                    "it seems to be latin1: convert the file with `iconv -f "
                    "latin1 -t UTF-8 "));
  EXPECT_TRUE(holds(found("\x93sch\xF6n\x94\n"), "iconv -f windows-1252 "));
  EXPECT_TRUE(holds(found("sch\u00F6n und sch\xF6n\n"), "was the file damaged, or put together"));
}

TEST(LineReader, ThatLooksForMistakesTakesBadLinesAsTheyAre) {
  const TemporaryFolder folder;
  put(folder / "f", "sch\xF6n\n" + std::string(17 << 20, 'x') + "\nend\n");
  LineReader reader(folder / "f", BadLines::taken);
  std::string line;
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "sch\xF6n");
  EXPECT_FALSE(reader.was_cut());
  ASSERT_TRUE(reader.next(line));
  EXPECT_TRUE(reader.was_cut());
  EXPECT_EQ(line.size(), LineReader::kMostBytes);
  ASSERT_TRUE(reader.next(line));
  EXPECT_EQ(line, "end");
  EXPECT_FALSE(reader.next(line));
}

TEST(LineReader, NamesTheLineAfterWhichAGzIsCutOrDamaged) {
  const TemporaryFolder folder;
  std::string gz = packed(joined_lines(made_up_lines(50'000, 8)));
  put(folder / "cut", std::string_view(gz).substr(0, gz.size() / 2));
  EXPECT_TRUE(holds(reading(folder / "cut"), "the gz data end too early"));
  EXPECT_FALSE(holds(reading(folder / "cut"), "(after line 0)"));
  gz[gz.size() - 5] ^= 1;  // of the checksum
  put(folder / "damaged", gz);
  EXPECT_TRUE(holds(reading(folder / "damaged"), "the gz data are damaged"));
  put(folder / "tail", packed("a\n") + "tail");
  EXPECT_TRUE(holds(reading(folder / "tail"), "the gz data are damaged"));
}

TEST(LineReader, RefusesFoldersAndMissingFiles) {
  const TemporaryFolder folder;
  EXPECT_TRUE(holds(reading(folder.path()), "is a folder"));
  EXPECT_TRUE(holds(reading(folder / "none"), "none: cannot be opened: No such file"));
}

TEST(ReadLines, GivesAllOfThemAndRefusesAnEmptyFile) {
  const TemporaryFolder folder;
  put(folder / "f", "one\n\nthree\n");
  EXPECT_EQ(read_lines(folder / "f"), (std::vector<std::string>{"one", "", "three"}));
  put(folder / "empty", "");
  EXPECT_TRUE(holds(message_of<DataError>([&] { read_lines(folder / "empty"); }), "is empty"));
}

TEST(Bytes, OfAStreamCannotBeReadTwice) {
  const TemporaryFolder folder;
  put(folder / "f", "abc");
  const auto bytes = open_bytes(folder / "f");
  char first = 0;
  EXPECT_EQ(bytes->read({&first, 1}), 1u);
  bytes->seek(0);
  EXPECT_EQ(bytes->read({&first, 1}), 1u);
  EXPECT_EQ(first, 'a');
  const auto device = open_bytes("/dev/zero");
  EXPECT_EQ(device->read({&first, 1}), 1u);
  EXPECT_TRUE(holds(message_of<UsageError>([&] { device->seek(0); }), "cannot be read twice"));
}

}  // namespace
}  // namespace heed::text
