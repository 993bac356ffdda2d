// SPDX-License-Identifier: Apache-2.0
// From a pair of lines to pairs of tokens.
#include "heed/text/pair_encoder.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "heed/base/error.h"
#include "heed/text/sentences.h"

namespace heed::text {
namespace {

TokenPair encode(const PairEncoder& encoder, std::string_view source, std::string_view target,
                 const LinePair& pair) {
  const Encoding read = encoder.source->encode(source);
  const Encoding wanted = encoder.target->encode(target);
  TokenPair tokens{
      .source = read.tokens, .target = wanted.tokens, .line = pair.line, .document = pair.document};
  if (encoder.copier != nullptr) {
    CopiedSource copied = encoder.copier->source(read);
    tokens.target = encoder.copier->target(wanted, copied);
    tokens.copies = std::move(copied.tokens);
  }
  return tokens;
}

std::size_t longer_side(const TokenPair& pair) {
  return std::max(pair.source.size(), pair.target.size());
}

EncodedPair ended(Outcome outcome, std::vector<TokenPair> pairs) {
  for (TokenPair& pair : pairs) {
    pair.source.push_back(kEnd);
    pair.target.push_back(kEnd);
    if (!pair.copies.empty()) pair.copies.push_back(kEnd);
  }
  return {.outcome = outcome, .pairs = std::move(pairs)};
}

// From the beginning of one view to the end of another of the same line.
std::string_view between(std::string_view first, std::string_view last) {
  return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

// Empty when it cannot be done: see TooLong.
std::vector<TokenPair> split_pair(const PairEncoder& encoder, const LinePair& pair,
                                  std::size_t most) {
  const std::vector<std::string_view> sources = sentences_of(pair.source);
  const std::vector<std::string_view> targets = sentences_of(pair.target);
  if (sources.size() != targets.size()) return {};
  std::vector<TokenPair> result;
  for (std::size_t first = 0; first < sources.size();) {
    TokenPair part = encode(encoder, sources[first], targets[first], pair);
    if (longer_side(part) > most || part.source.empty() || part.target.empty()) return {};
    std::size_t next = first + 1;
    for (; next < sources.size(); ++next) {
      TokenPair longer = encode(encoder, between(sources[first], sources[next]),
                                between(targets[first], targets[next]), pair);
      if (longer_side(longer) > most) break;
      part = std::move(longer);
    }
    result.push_back(std::move(part));
    first = next;
  }
  return result;
}

}  // namespace

const std::vector<std::string>& too_long_names() {
  static const std::vector<std::string> names = {"fail", "crop", "skip", "split"};
  return names;
}

EncodedPair PairEncoder::operator()(const LinePair& pair) const {
  TokenPair whole = encode(*this, pair.source, pair.target, pair);
  if (whole.source.empty() || whole.target.empty()) return {.outcome = Outcome::empty};
  const auto most = static_cast<std::size_t>(limit.max_length);
  if (most == 0 || longer_side(whole) <= most) return ended(Outcome::kept, {std::move(whole)});
  switch (limit.too_long) {
    case TooLong::fail:
      throw DataError(
          "{}: line {} has {} source and {} target tokens, and at most {} are allowed; raise "
          "--max-length, or choose --too-long crop, skip or split",
          name, pair.line, whole.source.size(), whole.target.size(), most);
    case TooLong::crop:
      whole.source.resize(std::min(whole.source.size(), most));
      whole.target.resize(std::min(whole.target.size(), most));
      if (copier != nullptr) {
        whole.copies.resize(whole.source.size());
        forget_uncopied(whole.copies, target->size(), whole.target);
      }
      return ended(Outcome::cropped, {std::move(whole)});
    case TooLong::skip:
      return {.outcome = Outcome::skipped};
    case TooLong::split: {
      std::vector<TokenPair> parts = split_pair(*this, pair, most);
      if (parts.empty()) return {.outcome = Outcome::skipped};
      return ended(Outcome::split, std::move(parts));
    }
  }
  throw InternalError("PairEncoder: an unknown choice for long pairs");
}

}  // namespace heed::text
