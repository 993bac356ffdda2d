// SPDX-License-Identifier: Apache-2.0
// Fuzz target of pretrained word vectors.
#include "heed/text/embeddings.h"

#include <cmath>

#include "heed/base/fuzzing.h"

namespace heed::test {
namespace {

bool read_vectors(std::string_view bytes) {
  static const auto tokeniser = text::train_tokeniser({.kind = text::TokeniserKind::words},
                                                      std::vector<std::string>{"one two three 1"});
  static MemoryFile file;
  file.hold(bytes);
  return accepted([&] {
    const text::Embeddings found = text::read_embeddings(file.path(), *tokeniser);
    require(found.width > 0 && found.read > 0, "a file without vectors was read");
    require(found.values.size() == static_cast<std::size_t>(found.found) * found.width,
            "vectors of another width");
    for (text::Token token = 0; token < tokeniser->size(); ++token) {
      for (const float value : found.vector(token)) {
        require(std::isfinite(value), "a number that is not finite");
      }
    }
  });
}

const FuzzTarget kEmbeddings("embeddings", read_vectors);

}  // namespace
}  // namespace heed::test
