// SPDX-License-Identifier: Apache-2.0
// Strips of both sides, and of the sentences before them.
#include "heed/pipeline/translate/translation_trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/tensor/join.h"

namespace heed::pipeline {
namespace {

using decoding::AttentionPath;
using ContextSentences = std::vector<std::vector<std::string>>;

constexpr const char* kTargetRead = "target read";
constexpr const char* kSourceContext = "source context";
constexpr const char* kTargetContext = "target context";

// Each sentence a word of the strip of words, so that merging words gives sentences.
void add_context(insight::TracedExample& example, const std::string& name,
                 const ContextSentences& sentences) {
  insight::TokenStrip words{.name = name};
  insight::TokenStrip whole{.name = name + " sentences"};
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    for (const std::string& piece : sentences[i]) {
      words.tokens.push_back(piece);
      words.words.push_back(static_cast<int>(i));
    }
    whole.tokens.push_back(fmt::format("{} before", i + 1));
  }
  if (sentences.empty()) return;
  example.strips.push_back(std::move(words));
  example.strips.push_back(std::move(whole));
}

// The words of all sentences are in rows of equal width: [H,Q,K*W] -> [H,Q,words].
AttentionPath without_gaps(const AttentionPath& path, const ContextSentences& sentences,
                           std::int64_t most) {
  const std::int64_t width = path.weights.size(2) / std::max<std::int64_t>(most, 1);
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < sentences.size(); ++i) {
    const std::int64_t first = static_cast<std::int64_t>(i) * width;
    parts.push_back(
        path.weights.slice(2, first, first + static_cast<std::int64_t>(sentences[i].size())));
  }
  return {path.site, parts.empty() ? path.weights : concat(parts, 2)};
}

// How many sentences before a model looked at most, in the attention over sentences with the same
// queries.
std::int64_t most_sentences(std::span<const AttentionPath> paths, const AttentionPath& words) {
  const auto found = std::ranges::find_if(paths, [&](const AttentionPath& path) {
    return path.site.role == attention::Role::context_sentences &&
           path.site.queries == words.site.queries;
  });
  return found == paths.end() ? 0 : found->weights.size(2);
}

}  // namespace

insight::TracedExample traced(const TracedPair& pair, std::span<const AttentionPath> paths) {
  insight::TracedExample example{.title = pair.title};
  example.strips.push_back(
      {.name = "source", .tokens = pair.source.pieces, .words = pair.source.words});
  example.strips.push_back(
      {.name = "target", .tokens = pair.target.pieces, .words = pair.target.words});
  const bool looks_back = std::ranges::any_of(
      paths, [](const AttentionPath& path) { return path.site.keys == kTargetRead; });
  if (looks_back && !pair.target.pieces.empty()) {
    insight::TokenStrip read{.name = kTargetRead, .tokens = {"<s>"}, .words = {-1}};
    read.tokens.insert(read.tokens.end(), pair.target.pieces.begin(), pair.target.pieces.end() - 1);
    read.words.insert(read.words.end(), pair.target.words.begin(), pair.target.words.end() - 1);
    example.strips.push_back(std::move(read));
  }
  add_context(example, kSourceContext, pair.source_before);
  add_context(example, kTargetContext, pair.target_before);
  std::vector<AttentionPath> all;
  for (const AttentionPath& path : paths) {
    if (path.site.role == attention::Role::context_words) {
      const ContextSentences& before =
          path.site.keys == kSourceContext ? pair.source_before : pair.target_before;
      all.push_back(without_gaps(path, before, most_sentences(paths, path)));
    } else {
      all.push_back(path);
    }
  }
  add_attentions(example, all);
  return example;
}

}  // namespace heed::pipeline
