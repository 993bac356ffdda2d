// SPDX-License-Identifier: Apache-2.0
// Random bytes for every reader and loader: each takes them or refuses them, none crashes.
#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/text/batch_stream.h"
#include "heed/text/embeddings.h"
#include "heed/text/lines.h"
#include "heed/text/pairs.h"
#include "heed/text/testing.h"
#include "heed/text/tokeniser.h"

namespace heed::text {
namespace {

using test::packed;
using test::put;
using test::TemporaryFolder;

// Bytes of one of several sorts, from any to almost right.
std::string random_bytes(Random& random) {
  const auto from = [&](std::string_view alphabet) {
    std::string bytes;
    for (std::uint64_t size = random.integer(200); size > 0; --size) {
      bytes += alphabet[random.integer(alphabet.size())];
    }
    return bytes;
  };
  std::string bytes;
  switch (random.integer(5)) {
    case 0:
      for (std::uint64_t size = random.integer(200); size > 0; --size) {
        bytes += static_cast<char>(random.integer(256));
      }
      return bytes;
    case 1:
      return from("ab 1.\t\n\r-'");
    case 2:
      return "heed-vocabulary 1 kind=words lower_case=no\n" + from("ab\\u{2}\t1\n");
    case 3:
      bytes = packed(from("ab\t\n"));
      bytes[random.integer(bytes.size())] ^= static_cast<char>(1 << random.integer(8));
      return bytes;
    default:
      return from("\x0A\x12\x1A\x02\x08\x01\x03\x10zab");  // keys and sizes of protocol buffers
  }
}

TEST(Distrust, TakesOrRefusesAnyBytes) {
  const TemporaryFolder folder;
  const auto words =
      train_tokeniser({.kind = TokeniserKind::words}, std::vector<std::string>{"a b ab 1"});
  Random random(1);
  int taken = 0;
  int refused = 0;
  const auto attempt = [&](const auto& reading) {
    try {
      reading();
      ++taken;
    } catch (const DataError&) {
      ++refused;
    } catch (const UsageError&) {
      ++refused;
    }
  };
  for (int round = 0; round < 400; ++round) {
    put(folder / "f", random_bytes(random));
    put(folder / "g", random_bytes(random));
    const PairFiles files{.source = folder / "f",
                          .target = round % 2 == 0 ? folder / "g" : std::filesystem::path()};
    attempt([&] { test::lines_of(folder / "f"); });
    attempt([&] {
      LineReader reader(folder / "f");
      reader.seek({.bytes = random.integer(200), .lines = random.integer(9)});
      test::all_lines(reader);
    });
    attempt([&] {
      PairReader reader(files);
      count_pairs(reader);
    });
    attempt([&] {
      BatchStream batches(PairReader(files), *words, *words,
                          {.limit = {.max_length = 4, .too_long = TooLong::split}});
      for (int i = 0; i < 3; ++i) batches.next();
    });
    attempt([&] { load_tokeniser(folder / "f")->encode("a b\tc"); });
    attempt([&] { read_embeddings(folder / "f", *words); });
  }
  EXPECT_GT(taken, 200);
  EXPECT_GT(refused, 800);
}

}  // namespace
}  // namespace heed::text
