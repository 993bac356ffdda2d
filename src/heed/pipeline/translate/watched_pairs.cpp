// SPDX-License-Identifier: Apache-2.0
// Sentences with given translations, run through a translator under observers.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/models/encoder_decoder.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/surface.h"
#include "heed/pipeline/tracing.h"
#include "heed/pipeline/translate/translation_trace.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/pipeline/translate/translator_line.h"
#include "heed/pipeline/watched.h"
#include "heed/text/batch_plan.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

class WatchedPairs final : public Watched {
 public:
  struct Pair {
    text::TokenPair tokens{};
    std::vector<insight::TokenStrip> strips{};
  };
  WatchedPairs(std::shared_ptr<models::EncoderDecoder> model, std::vector<Pair> pairs)
      : model_(std::move(model)), pairs_(std::move(pairs)) {}

  std::size_t size() const override { return pairs_.size(); }
  std::string unit() const override { return "tokens"; }
  nn::Parameters parameters() const override { return nn::parameters(*model_); }
  std::vector<insight::TokenStrip> strips(std::size_t example) const override {
    return pairs_[example].strips;
  }

  WatchedRun run(std::span<const std::size_t> examples, const models::Call& call) const override {
    std::vector<text::TokenPair> some;
    std::vector<std::uint32_t> places;
    std::vector<std::int64_t> counts;
    WatchedRun found;
    for (const std::size_t example : examples) {
      places.push_back(static_cast<std::uint32_t>(some.size()));
      some.push_back(pairs_[example].tokens);
      counts.push_back(static_cast<std::int64_t>(some.back().target.size()));
      found.units.push_back(static_cast<double>(counts.back()));
    }
    const text::PairBatch batch = text::gather_batch(some, places);
    const models::Sequences target = models::sequences(batch.target);
    const Variable logits =
        model_->decode(model_->encode(models::source_of(batch), call), target, call).logits;
    const Ids wanted = models::packed_targets(target);
    found.losses =
        summed_rows(cross_entropy(logits, wanted, {.reduction = Reduction::none}), counts);
    found.right = right_rows(logits.value(), wanted, counts);
    return found;
  }

 private:
  std::shared_ptr<models::EncoderDecoder> model_;
  std::vector<Pair> pairs_;
};

}  // namespace

// A text without its translation is read, and nothing but the end is written.
std::unique_ptr<Watched> Translator::watched(const WatchedData& data) const {
  if (models_.size() > 1) {
    throw UsageError("models that vote are looked into one by one; name one folder");
  }
  if (reads_documents()) {
    throw UsageError(
        "a translator of documents reads sentences with those before, and its heads and layers are "
        "not looked into; take one of sentences");
  }
  std::vector<std::string> sources, targets;
  if (data.inputs.empty()) {
    require_files(data.files, 2, "translators take two: the source text and its translation");
    sources = text::read_lines(data.files[0]);
    targets = text::read_lines(data.files[1]);
    if (sources.size() != targets.size()) {
      throw DataError("{} has {} lines, {} has {}; they go line by line", data.files[0],
                      sources.size(), data.files[1], targets.size());
    }
  }
  for (const Input& input : data.inputs) {
    sources.push_back(input.text);
    targets.push_back(input.second);
  }
  if (data.most > 0 && sources.size() > data.most) {
    sources.resize(data.most);
    targets.resize(data.most);
  }
  const std::vector<Line> read = read_lines(sources, {});
  std::vector<WatchedPairs::Pair> pairs;
  for (text::TokenPair& tokens : token_pairs(read, targets, 0)) {
    const Line& line = read[tokens.line];
    TracedPair traced_pair = traced_row({}, 0, line);
    const std::vector<std::string>& own = line.copied.own;
    const text::Tokens text(tokens.target.begin(), tokens.target.end() - 1);
    traced_pair.target = {
        pieces_of(*vocabularies_.target, tokens.target, own),
        padded_words(vocabularies_.target->decode(text, own).words, tokens.target.size())};
    WatchedPairs::Pair& mine = pairs.emplace_back();
    mine.strips = traced(traced_pair, {}).strips;
    const insight::TokenStrip& target = mine.strips[1];
    insight::TokenStrip before{.name = "target read", .tokens = {"<s>"}, .words = {-1}};
    before.tokens.insert(before.tokens.end(), target.tokens.begin(), target.tokens.end() - 1);
    before.words.insert(before.words.end(), target.words.begin(), target.words.end() - 1);
    mine.strips.push_back(std::move(before));
    mine.tokens = std::move(tokens);
  }
  if (pairs.empty()) throw UsageError("no line with a word in it; give text like that of training");
  return std::make_unique<WatchedPairs>(models_.front(), std::move(pairs));
}

}  // namespace heed::pipeline
