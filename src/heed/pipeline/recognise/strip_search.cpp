// SPDX-License-Identifier: Apache-2.0
// Batches of strips through the encoder, then one search or the other.
#include "heed/pipeline/recognise/strip_search.h"

#include <algorithm>

#include "heed/autograd/ctc.h"
#include "heed/decoding/ctc_search.h"
#include "heed/decoding/search.h"
#include "heed/decoding/translation_stepper.h"
#include "heed/pipeline/recognise/strip_batches.h"

namespace heed::pipeline {
namespace {

using corpora::Strip;
using models::LabelWriting;

constexpr std::size_t kTogether = 32;

FoundLabels from_frames(const Tensor& logits, const StripSearch& search) {
  const decoding::Labelling best =
      search.beam <= 1 ? decoding::ctc_best_path(logits)
                       : decoding::ctc_prefix_beam(logits, {.width = search.beam}).front();
  FoundLabels found{.log_probability = best.log_probability};
  for (const std::int32_t symbol : best.labels) found.labels.push_back(symbol - 1);
  return found;
}

// The states of strip b, without padding: [S,C].
Tensor frames_of(const Tensor& logits, const Ids& lengths, std::int64_t b) {
  return logits.select(0, b).slice(0, 0, lengths.at({b})).packed();
}

std::vector<decoding::Hypothesis> written(const models::StripRecogniser& model,
                                          const models::EncoderStates& states,
                                          const StripSearch& search, bool attentions) {
  decoding::TranslationStepper stepper({{&model.decoder(), model.decoder().read(states)}},
                                       states.lengths);
  // A label lies in a state at least, and the end in none.
  decoding::Constraints constraints{.most = {.per_source = 1, .constant = 1}};
  constraints.forbidden.push_back(text::kUnknown);
  std::vector<decoding::Hypothesis> best;
  auto all = decoding::beam_search(
      stepper, {.width = search.beam,
                .length = decoding::LengthPenalty{decoding::LengthScale::none, 0},
                .constraints = std::move(constraints),
                .attentions = attentions});
  for (auto& one : all) best.push_back(std::move(one.front()));
  return best;
}

FoundLabels labels_of(const decoding::Hypothesis& hypothesis) {
  FoundLabels found{.log_probability = hypothesis.log_probability};
  for (const text::Token token : hypothesis.tokens) {
    found.labels.push_back(token - text::kFirstPiece);
  }
  return found;
}

// The rows of labels, each divided by its sum: chances [2U+1,S] -> [U,S].
Tensor label_weights(const Tensor& chances) {
  const std::int64_t count = chances.size(0) / 2, states = chances.size(1);
  Tensor weights = Tensor::zeros({count, states});
  for (std::int64_t u = 0; u < count; ++u) {
    double sum = 0;
    for (std::int64_t s = 0; s < states; ++s) {
      sum += static_cast<double>(chances.at({2 * u + 1, s}));
    }
    for (std::int64_t s = 0; s < states && sum > 0; ++s) {
      weights.mutable_data()[u * states + s] =
          static_cast<Real>(static_cast<double>(chances.at({2 * u + 1, s})) / sum);
    }
  }
  return weights;
}

LookedAt look_by_ctc(const Tensor& logits, const StripSearch& search) {
  LookedAt look{.found = from_frames(logits, search)};
  const auto count = std::ssize(look.found.labels);
  std::vector<std::int32_t> symbols;
  for (const int label : look.found.labels) symbols.push_back(label + 1);
  look.chances = ctc_posterior(logits, Ids::of({count}, symbols)).transpose(0, 1).packed();
  look.weights = label_weights(look.chances);
  look.path = decoding::ctc_likeliest_places(logits, symbols);
  return look;
}

}  // namespace

void StripSearch::declare(Options& options) {
  options
      .add("beam", beam,
           "prefixes, or outputs, that are followed side by side; 1: the best path of CTC, the "
           "likeliest label at every step of a decoder")
      .range(1, 1000);
}

std::vector<FoundLabels> find_labels(const models::StripRecogniser& model,
                                     std::span<const Strip> strips, const StripSearch& search) {
  const NoGradient no_graph;
  std::vector<FoundLabels> found;
  for (std::size_t begin = 0; begin < strips.size(); begin += kTogether) {
    const auto part = strips.subspan(begin, std::min(kTogether, strips.size() - begin));
    const models::EncoderStates states = model.encoder()(strip_tensors(part), {});
    if (model.options().writing == LabelWriting::ctc) {
      const Tensor logits = model.logits(states).value();
      for (std::int64_t b = 0; b < std::ssize(part); ++b) {
        found.push_back(from_frames(frames_of(logits, states.lengths, b), search));
      }
    } else {
      for (const auto& one : written(model, states, search, false)) {
        found.push_back(labels_of(one));
      }
    }
  }
  return found;
}

LookedAt look_at(const models::StripRecogniser& model, const Strip& strip,
                 const StripSearch& search) {
  const NoGradient no_graph;
  const models::EncoderStates states = model.encoder()(strip_tensors(std::span(&strip, 1)), {});
  if (model.options().writing == LabelWriting::ctc) {
    return look_by_ctc(frames_of(model.logits(states).value(), states.lengths, 0), search);
  }
  LookedAt look;
  decoding::Hypothesis best = std::move(written(model, states, search, true).front());
  look.found = labels_of(best);
  look.attentions = std::move(best.attentions);
  const auto count = std::ssize(look.found.labels);
  look.weights = Tensor::zeros({count, states.states.size(1)});
  for (const decoding::AttentionPath& path : look.attentions) {
    if (path.site.role != attention::Role::cross) continue;
    const Tensor mine = path.weights.select(0, 0).slice(0, 0, count).packed();
    std::ranges::transform(mine.span(), look.weights.mutable_data(), [](Real weight) {
      return static_cast<Real>(attention::share_of(weight));
    });
  }
  return look;
}

}  // namespace heed::pipeline
