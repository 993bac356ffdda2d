// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/trace/trace_file.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/insight/trace/trace_json.h"

namespace heed::insight {
namespace {

using test::message_of;
using test::TemporaryFolder;

constexpr std::string_view kPlain =
    R"({"source": ["a", "b"], "target": ["A"], "weights": [[0.25, null]]})";

TEST(TraceFile, IsReadByItsContentWhateverItsName) {
  const TemporaryFolder folder;
  const TraceDocument document = parse_trace(kPlain, "plain");
  write_trace(folder / "t.json", document);
  write_trace(folder / "t.safetensors", document);
  std::filesystem::rename(folder / "t.safetensors", folder / "t.txt");
  for (const char* name : {"t.json", "t.txt"}) {
    EXPECT_EQ(to_trace_json(read_trace(folder / name)), to_trace_json(document)) << name;
  }
  write_atomically(folder / "soft", std::string_view("A ||| 0.25,0.75\n"));
  write_atomically(folder / "source", std::string_view("a b\n"));
  const TraceDocument soft = read_trace(folder / "soft", {.source = folder / "source"});
  EXPECT_EQ(soft.examples[0].attentions[0].heads[0].weights.at({0, 1}), Real(.75));
  write_atomically(folder / "blocks",
                   std::string_view("0 ||| A ||| 0 ||| a b ||| 3 2\n1 0 0\n0 0 1\n"));
  EXPECT_EQ(read_trace(folder / "blocks").examples.size(), 1u);
}

TEST(TraceFile, SaysWhatIsMissingOrIsNoTrace) {
  EXPECT_NE(
      message_of<UsageError>([] { parse_trace("A ||| 0.5,0.5\n", "soft.txt"); }).find("--source"),
      std::string::npos);
  const std::string text = message_of<DataError>([] { parse_trace("Dear all,\nhello", "mail"); });
  EXPECT_NE(text.find("mail: this is not a trace: it begins with \"Dear all,\""), std::string::npos)
      << text;
  EXPECT_THROW(parse_trace("", "empty"), DataError);
  EXPECT_THROW(parse_trace(std::string_view("\1\0\0\0\0\0\0\0{", 9), "short"), DataError);
}

TEST(TraceFile, IsWrittenByTheEndOfItsName) {
  const TemporaryFolder folder;
  const std::string message = message_of<UsageError>(
      [&] { write_trace(folder / "trace.txt", parse_trace(kPlain, "plain")); });
  EXPECT_NE(message.find(".json or .safetensors"), std::string::npos) << message;
  EXPECT_FALSE(std::filesystem::exists(folder / "trace.txt"));
  EXPECT_NO_THROW(check_trace_name("a/b.json"));
}

}  // namespace
}  // namespace heed::insight
