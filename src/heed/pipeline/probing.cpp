// SPDX-License-Identifier: Apache-2.0
// Vectors are gathered layer by layer in one pass; then each layer is probed.
#include "heed/pipeline/probing.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "heed/attention/trace.h"
#include "heed/base/error.h"
#include "heed/decoding/attention_path.h"
#include "heed/insight/observe/kept.h"
#include "heed/pipeline/watched.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

using attention::Site;

// The widest row of attention that is probed: keys beyond have no feature.
constexpr std::int64_t kMostProbedKeys = 64;

std::vector<std::vector<std::int64_t>> pieces_of_words(const std::vector<int>& words) {
  std::vector<std::vector<std::int64_t>> pieces;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] < 0) continue;
    const auto word = static_cast<std::size_t>(words[i]);
    if (pieces.size() <= word) pieces.resize(word + 1);
    pieces[word].push_back(static_cast<std::int64_t>(i));
  }
  return pieces;
}

// The vectors of the words of all texts, layer by layer.
class Gathered {
 public:
  struct Layer {
    std::string name;
    std::vector<std::vector<Real>> rows{};  // of the words, in the order of the texts
  };

  // The mean of these rows of x [S,D].
  void add(const std::string& name, std::size_t first, const Tensor& x,
           const std::vector<std::vector<std::int64_t>>& pieces) {
    Layer& layer = layer_called(name);
    const Tensor rows = x.packed();
    const std::int64_t width = rows.size(1);
    for (std::size_t w = 0; w < pieces.size(); ++w) {
      std::vector<Real> mean(static_cast<std::size_t>(width), 0);
      for (const std::int64_t piece : pieces[w]) {
        for (std::int64_t d = 0; d < width; ++d) {
          mean[static_cast<std::size_t>(d)] += attention::share_of(rows.data()[piece * width + d]) /
                                               static_cast<Real>(pieces[w].size());
        }
      }
      if (layer.rows.size() <= first + w) layer.rows.resize(first + w + 1);
      layer.rows[first + w] = std::move(mean);
    }
  }
  const std::vector<Layer>& layers() const { return layers_; }

 private:
  Layer& layer_called(const std::string& name) {
    const auto found = std::ranges::find(layers_, name, &Layer::name);
    return found != layers_.end() ? *found : layers_.emplace_back(Layer{.name = name});
  }
  std::vector<Layer> layers_;
};

// The rows of all heads of one site [H,Q,K], side by side: [Q, H * kMostProbedKeys].
Tensor rows_of_attention(const Tensor& weights) {
  const std::int64_t heads = weights.size(0), queries = weights.size(1),
                     keys = std::min(weights.size(2), kMostProbedKeys);
  Tensor rows = Tensor::zeros({queries, heads * kMostProbedKeys});
  for (std::int64_t h = 0; h < heads; ++h) {
    for (std::int64_t q = 0; q < queries; ++q) {
      for (std::int64_t k = 0; k < keys; ++k) {
        rows.mutable_data()[(q * heads + h) * kMostProbedKeys + k] =
            attention::share_of(weights.at({h, q, k}));
      }
    }
  }
  return rows;
}

class Prober {
 public:
  Prober(const Model& model, std::span<const LabelledWords> texts, const ProbingOptions& options)
      : options_(options) {
    std::vector<Input> inputs;
    std::map<std::string, std::int64_t> counts;
    for (const LabelledWords& one : texts) {
      if (static_cast<std::int64_t>(words_) >= options.most) break;
      if (one.labels.empty()) continue;
      inputs.push_back({.text = one.text});
      texts_.push_back(&one);
      words_ += one.labels.size();
      for (const std::string& label : one.labels) ++counts[label];
    }
    if (inputs.empty()) throw UsageError("probe: no text with a word in it");
    for (const auto& [label, count] : counts) found_.labels.push_back(label);
    std::ranges::stable_sort(found_.labels, std::greater(),
                             [&](const std::string& label) { return counts.at(label); });
    data_ = model.watched({.inputs = inputs});
  }

  Probing run(const std::function<void(std::uint64_t, std::uint64_t)>& done) {
    place_texts();
    gather();
    std::vector<Gathered::Layer> layers = gathered_.layers();
    if (layers.empty()) {
      throw UsageError("probe: this model shows no {} of its texts' words",
                       options_.vectors == ProbedVectors::states ? "states" : "attention");
    }
    if (options_.layer >= static_cast<std::int64_t>(layers.size())) {
      throw UsageError("--layer {}: the model has {}, from 0", options_.layer, layers.size());
    }
    insight::ProbeData rows{.labels = labels_, .words = types_, .learnt = found_.learnt};
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (options_.layer >= 0 && static_cast<std::int64_t>(i) != options_.layer) continue;
      const auto width = static_cast<std::int64_t>(layers[i].rows.front().size());
      rows.vectors = Tensor({static_cast<std::int64_t>(labels_.size()), width});
      for (std::size_t n = 0; n < labels_.size(); ++n) {
        std::ranges::copy(layers[i].rows[n],
                          rows.vectors.mutable_data() + static_cast<std::int64_t>(n) * width);
      }
      ProbedLayer& mine = found_.layers.emplace_back(ProbedLayer{layers[i].name, width});
      mine.linear = insight::probe(rows, options_.training);
      insight::ProbeOptions deep = options_.training;
      deep.hidden = options_.hidden;
      mine.deep = insight::probe(rows, deep);
      if (done) done(++number, options_.layer >= 0 ? 1 : layers.size());
    }
    found_.baselines = insight::probe_baselines(rows);
    return std::move(found_);
  }

 private:
  // Where the words of each text are among all; nothing for a text that is left out.
  void place_texts() {
    std::map<std::string, std::int32_t> types;
    const auto texts = data_->size();
    if (texts != texts_.size()) {
      throw UsageError("probe: the model reads {} of {} texts; give texts with words", texts,
                       texts_.size());
    }
    const auto learnt =
        static_cast<std::size_t>(static_cast<double>(texts) * (1 - options_.held_out));
    for (std::size_t i = 0; i < texts; ++i) {
      if (i == learnt) found_.learnt = labels_.size();
      const LabelledWords& one = *texts_[i];
      if (pieces_of_words(data_->strips(i).front().words).size() != one.labels.size()) {
        ++found_.left_out;
        places_.emplace_back();
        continue;
      }
      places_.emplace_back(labels_.size());
      ++found_.texts;
      const std::vector<std::string_view> words = text::words_of(one.text);
      for (std::size_t w = 0; w < one.labels.size(); ++w) {
        const auto label = std::ranges::find(found_.labels, one.labels[w]);
        labels_.push_back(static_cast<std::int32_t>(label - found_.labels.begin()));
        types_.push_back(
            types.try_emplace(std::string(words[w]), static_cast<std::int32_t>(types.size()))
                .first->second);
      }
    }
    found_.words = labels_.size();
  }

  void gather() {
    const NoGradient values_only;
    for (const std::vector<std::size_t>& batch : data_->batches()) {
      insight::KeptStates states;
      attention::Trace trace;
      const bool of_states = options_.vectors == ProbedVectors::states;
      attention::Observers watch({of_states ? &states : nullptr, of_states ? nullptr : &trace});
      data_->run(batch, {.watch = watch.get()});
      for (std::size_t b = 0; b < batch.size(); ++b) {
        if (!places_[batch[b]]) continue;
        const insight::TokenStrip text = data_->strips(batch[b]).front();
        const auto row = static_cast<std::int64_t>(b);
        const auto named = [](const Site& site) {
          return fmt::format("{} {}", site.set, site.layer);
        };
        if (of_states) {
          for (const insight::KeptStates::Entry& one : states.entries()) {
            if (one.site.keys != text.name) continue;
            gathered_.add(named(one.site), *places_[batch[b]], one.states.select(0, row),
                          pieces_of_words(text.words));
          }
          continue;
        }
        for (const decoding::AttentionPath& path : decoding::paths_of(trace, row)) {
          if (path.site.role != attention::Role::self || path.site.keys != text.name) continue;
          const auto length = static_cast<std::int64_t>(text.tokens.size());
          gathered_.add(named(path.site), *places_[batch[b]],
                        rows_of_attention(decoding::cut(path, length, length).weights),
                        pieces_of_words(text.words));
        }
      }
    }
  }

  const ProbingOptions& options_;
  std::vector<const LabelledWords*> texts_;
  std::unique_ptr<Watched> data_;
  std::size_t words_ = 0;
  std::vector<std::optional<std::size_t>> places_;
  std::vector<std::int32_t> labels_, types_;
  Gathered gathered_;
  Probing found_;
};

}  // namespace

LabelledWords labelled_words(
    std::string text,
    const std::function<std::string(std::size_t number, std::string_view word)>& label) {
  LabelledWords found{.text = std::move(text)};
  const std::vector<std::string_view> words = text::words_of(found.text);
  for (std::size_t w = 0; w < words.size(); ++w) found.labels.push_back(label(w, words[w]));
  return found;
}

void ProbingOptions::declare(Options& options) {
  options.add("of", vectors, {"states", "attention"},
              "what is probed: the states of a layer, or the rows of its heads' weights");
  options.add("layer", layer, "the layer that is probed, from 0; -1: all").at_least(-1);
  options.add("hidden", hidden, "units of the probe that is not linear").range(1, 4096);
  options.add("most-words", most, "words that are probed, at most").range(10, 10'000'000);
  options.add("held-out", held_out, "share of the texts, the last, that probes are judged by")
      .above(0)
      .below(1);
  options.add("epochs", training.epochs, "how often a probe sees its words").range(1, 1000);
  options.add("learning-rate", training.rate, "of the probes").above(0);
  options.add("seed", training.seed, "of the probes and of control labels");
}

Probing probed(const Model& model, std::span<const LabelledWords> texts,
               const ProbingOptions& options,
               const std::function<void(std::uint64_t done, std::uint64_t total)>& done) {
  return Prober(model, texts, options).run(done);
}

}  // namespace heed::pipeline
