// SPDX-License-Identifier: Apache-2.0
// Fuzz target of tokenizer.json: the parts of a tokeniser from elsewhere.
#include "heed/text/foreign/foreign_vocabulary_fuzzing.h"
#include "heed/text/foreign/vocabulary_files.h"

namespace heed::test {
namespace {

bool read_parts(std::string_view bytes) {
  Json tokenizer;
  const bool read = accepted([&] {
    tokenizer = Json::parse(bytes, "input");
    text::text_frame(JsonPlace(tokenizer, "input"));
  });
  return read && holds(std::move(tokenizer));
}

const FuzzTarget kParts("foreign_tokeniser", read_parts);

}  // namespace
}  // namespace heed::test
