// SPDX-License-Identifier: Apache-2.0
// From texts to batches of tokens, vectors, and back to the order of the texts.
#include "heed/pipeline/embed/text_embedder.h"

#include <algorithm>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/surface.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/tracing.h"
#include "heed/text/batch_plan.h"

namespace heed::pipeline {

TextEmbedder::TextEmbedder(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("embed");
  folder.read_config(options_.list);
  tokeniser_ = text::load_tokeniser(folder.file(kTokeniserFile));
  Random random(0);
  const auto model = folder.made([&] {
    return std::make_shared<models::Embedder>(options_.model(tokeniser_->size()), random);
  });
  nn::Parameters parameters = nn::parameters(*model);
  folder.load_weights(parameters);
  trained_longest_ = folder.longest();
  model_ = model;
}

std::int64_t TextEmbedder::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

// Texts are cropped where those of training were, and where positions end.
std::int64_t TextEmbedder::most_tokens(std::int64_t asked) const {
  std::int64_t most = asked > 0                 ? asked
                      : options_.max_length > 0 ? options_.max_length
                                                : longest_read(0, trained_longest_);
  const PositionLimit room = options_.room();
  if (room.places > 0) most = std::min(most, room.places - (options_.begin_token ? 2 : 1));
  return std::max<std::int64_t>(most, 1);
}

text::Encoding TextEmbedder::read(const std::string& text, std::int64_t most,
                                  std::size_t* left_out) const {
  text::Encoding encoding = text::encode_text(*tokeniser_, text, options_.shape());
  const std::size_t frame = options_.begin_token ? 2 : 1;
  const auto room = static_cast<std::size_t>(most) + frame;
  if (encoding.tokens.size() <= room) return encoding;
  *left_out = encoding.tokens.size() - room;
  encoding.tokens.resize(room - 1);
  encoding.words.resize(room - 1);
  encoding.tokens.push_back(text::kEnd);
  encoding.words.push_back(-1);
  return encoding;
}

Embedded TextEmbedder::embed(std::span<const std::string> texts, const EmbedCall& call) const {
  const NoGradient values_only;
  const std::int64_t most = most_tokens(call.longest);
  Embedded embedded{.vectors = Tensor({std::ssize(texts), width()}),
                    .left_out = std::vector<std::size_t>(texts.size()),
                    .traces = {}};
  if (call.trace) embedded.traces.resize(texts.size());
  std::vector<text::Encoding> encoded;
  std::vector<text::TokenPair> rows;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (std::string problem = text_problem(texts[i]); !problem.empty()) {
      throw BadText("text", i + 1, i, std::move(problem));
    }
    encoded.push_back(read(texts[i], most, &embedded.left_out[i]));
    rows.push_back({.source = encoded.back().tokens, .line = i});
  }
  for (const text::PairBatch& batch : text::pair_batches(rows, call.batch)) {
    attention::Trace trace;
    const Tensor vectors =
        (*model_)(models::sequences(batch.source), {.watch = call.trace ? &trace : nullptr})
            .value()
            .packed();
    for (std::size_t row = 0; row < batch.lines.size(); ++row) {
      const std::size_t place = batch.lines[row];
      std::copy_n(vectors.data() + static_cast<std::int64_t>(row) * width(), width(),
                  embedded.vectors.mutable_data() + static_cast<std::int64_t>(place) * width());
      if (!call.trace) continue;
      insight::TracedExample& example = embedded.traces[place];
      example.title = texts[place];
      example.strips.push_back({.name = "text",
                                .tokens = surface_pieces(*tokeniser_, texts[place], encoded[place]),
                                .words = encoded[place].words});
      add_attentions(example, decoding::paths_of(trace, static_cast<std::int64_t>(row)));
    }
  }
  return embedded;
}

double TextEmbedder::cosine(const std::string& first, const std::string& second) const {
  const std::vector<std::string> both = {first, second};
  const Tensor vectors = embed(both).vectors;
  const auto size = static_cast<std::size_t>(width());
  return cosine_of({vectors.data(), size}, {vectors.data() + size, size});
}

std::vector<std::vector<Answer>> TextEmbedder::run(std::span<const Input> inputs,
                                                   const Settings& settings) const {
  Options none;
  set(none, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Input& input : inputs) {
    if (!input.second.empty()) {
      const double cosine = this->cosine(input.text, input.second);
      answers.push_back({{fmt::format("{:.5f}", cosine), cosine}});
      continue;
    }
    std::string numbers;
    for (const Real value : embed(std::span(&input.text, 1)).vectors.values()) {
      numbers += fmt::format("{}{:.6g}", numbers.empty() ? "" : " ", value);
    }
    answers.push_back({{std::move(numbers), 0}});
  }
  return answers;
}

std::vector<insight::TracedExample> TextEmbedder::trace(std::span<const Input> inputs,
                                                        const Settings& settings) const {
  Options none;
  set(none, settings);
  std::vector<std::string> texts;
  for (const Input& input : inputs) texts.push_back(input.text);
  return embed(texts, {.trace = true}).traces;
}

void TextEmbedder::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "models of sentence embeddings take one: pairs of texts");
  text::PairReader reader(embed_pairs(files[0]));
  std::vector<std::string> first, second;
  for (text::LinePair pair; reader.next(pair);) {
    first.push_back(pair.source);
    second.push_back(pair.target);
  }
  if (first.empty()) throw reader.nothing_left();
  const Stopwatch watch;
  const PairSearch search = search_pairs(embed(first).vectors, embed(second).vectors);
  watch.stop(contestant);
  contestant.sentences = first.size();
  contestant.unit = "texts/s";
  contestant.units = 2 * static_cast<double>(first.size());
  const std::vector<double> ones(first.size(), 1);
  contestant.measures = {ratio("found first %", search.found, ones, percent),
                         ratio("mean of 1/rank %", search.by_rank, ones, percent)};
}

}  // namespace heed::pipeline
