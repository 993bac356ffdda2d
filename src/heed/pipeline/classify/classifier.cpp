// SPDX-License-Identifier: Apache-2.0
// From texts to batches of tokens, logits, and back to texts in their order.
#include "heed/pipeline/classify/classifier.h"

#include <fmt/format.h>

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/options.h"
#include "heed/models/syntactic_attention.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/classify/confidence.h"
#include "heed/pipeline/classify/gold_trees.h"
#include "heed/pipeline/probability.h"
#include "heed/pipeline/surface.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

Classifier::Parts load_parts(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("classify");
  ClassifyOptions options;
  folder.read_config(options.list);
  TokeniserPointer tokeniser = text::load_tokeniser(folder.file(kTokeniserFile));
  text::Labels labels = text::Labels::load(folder.file(kLabelsFile));
  Random random(0);
  const auto model = folder.made([&] {
    return std::make_shared<models::Classifier>(options.model(tokeniser->size(), labels), random);
  });
  nn::Parameters parameters = nn::parameters(*model);
  folder.load_weights(parameters);
  return {tokeniser,        labels,           model,
          options.second,   options.shape(),  options.room(),
          options.labelled, folder.longest(), kept_confidence(path, labels)};
}

Prediction prediction_of(const text::Aspect& aspect, const Tensor& probabilities) {
  Prediction prediction{.aspect = aspect.name};
  for (const Real share : probabilities.values()) {
    prediction.probabilities.push_back(
        require_probability(share, "class", prediction.probabilities.size() + 1));
  }
  const auto best = std::ranges::max_element(prediction.probabilities);
  prediction.probability = *best;
  prediction.label =
      aspect.classes[static_cast<std::size_t>(best - prediction.probabilities.begin())];
  return prediction;
}

// What a word has of the weights of its tokens: shares of attention add up; of what was kept, a
// word has what its most kept token has.
enum class OfTokens { sum, most };

std::vector<double> by_word(const Tensor& weights, const std::vector<int>& words, std::size_t count,
                            OfTokens rule = OfTokens::sum) {
  std::vector<double> result(count, 0);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] < 0 || static_cast<std::size_t>(words[i]) >= count) continue;
    double& mine = result[static_cast<std::size_t>(words[i])];
    const double weight = weights.at({static_cast<std::int64_t>(i)});
    mine = rule == OfTokens::sum ? mine + weight : std::max(mine, weight);
  }
  return result;
}

// How an aspect was predicted, as a trace names it: "food = good 0.93".
std::string shown(const Prediction& prediction) {
  return fmt::format("{} = {} {:.2f}", prediction.aspect,
                     prediction.unknown ? kUnknownLabel : prediction.label, prediction.probability);
}

}  // namespace

Classifier::Classifier(const std::filesystem::path& folder) : parts_(load_parts(folder)) {}

text::Encoding Classifier::read(const std::string& text, text::TextShape shape, std::int64_t most,
                                std::size_t* left_out) const {
  text::Encoding encoding = text::encode_text(*parts_.tokeniser, text, shape);
  if (static_cast<std::int64_t>(encoding.tokens.size()) <= most + 1) return encoding;
  if (left_out != nullptr) {
    *left_out = encoding.tokens.size() - 1 - static_cast<std::size_t>(most);
  }
  encoding.tokens.resize(static_cast<std::size_t>(most));
  encoding.words.resize(static_cast<std::size_t>(most));
  // Cut at the end of a sentence of a document, it has its end.
  if (encoding.tokens.back() == text::kEnd) return encoding;
  encoding.tokens.push_back(text::kEnd);
  encoding.words.push_back(-1);
  return encoding;
}

TracedPrediction Classifier::predicted(const text::LabelledText& text,
                                       const Classification& classification,
                                       std::int64_t most) const {
  const auto side = [&](const std::string& one, text::TextShape shape) -> TracedTokens {
    const text::Encoding encoding = read(one, shape, most);
    return {surface_pieces(*parts_.tokeniser, one, encoding), encoding.words};
  };
  TracedPrediction predicted{.text = side(text.text, parts_.shape), .title = text.text};
  if (parts_.second) predicted.second = side(text.second, text::TextShape::line);
  if (parts_.model->joins()) {
    predicted.joints = parts_.room.joints;
    predicted.title += " | " + text.second;
  }
  for (const Prediction& aspect : classification.aspects)
    predicted.aspects.push_back(shown(aspect));
  return predicted;
}

void ClassifyCall::declare_threshold(Options& options) {
  options.add("unknown", unknown,
              "answer \"unknown\" where a prediction is less probable than the threshold that "
              "validation chose when training ended");
  options
      .add("threshold", threshold,
           "the same with a threshold of one's own: a probability; 0: every text is answered")
      .range(0, 1);
}

bool Classifier::keeps_thresholds() const {
  return !parts_.confidence.empty() &&
         std::ranges::all_of(parts_.confidence,
                             [](const Confidence& one) { return one.threshold > 0; });
}

std::vector<double> Classifier::thresholds(const ClassifyCall& call) const {
  if (!(call.threshold >= 0 && call.threshold <= 1)) {
    throw UsageError("classify: a threshold of {}; it takes a probability, 0 to 1", call.threshold);
  }
  std::vector<double> all(parts_.labels.aspects().size(), call.threshold);
  if (!call.unknown || call.threshold > 0) return all;
  if (!keeps_thresholds()) {
    throw UsageError(
        "--unknown: the folder does not keep a threshold of every aspect: it was trained without "
        "validation, or no prediction was right often enough; give --threshold");
  }
  std::ranges::transform(parts_.confidence, all.begin(), &Confidence::threshold);
  return all;
}

std::string Classifier::unreadable(const text::LabelledText& text, std::int64_t longest) const {
  const std::int64_t most = longest_read(longest, parts_.longest);
  for (const std::string* one : {&text.text, &text.second}) {
    if (std::string problem = text_problem(*one); !problem.empty()) return problem;
  }
  if (parts_.room.places == 0) return {};
  text::Tokens second;
  if (parts_.second) second = read(text.second, text::TextShape::line, most).tokens;
  for (const text::Tokens& tokens :
       parts_.room.read_as(read(text.text, parts_.shape, most).tokens, second)) {
    if (!parts_.room.holds(tokens)) {
      return fmt::format("{}; {}", parts_.room.shortage(tokens), kReadingRemedy);
    }
  }
  return {};
}

Classification Classifier::classify(std::string_view text, std::string_view second) const {
  const text::LabelledText one{.text = std::string(text), .second = std::string(second)};
  return classify(std::span(&one, 1), {.attention = true}).front();
}

std::vector<Classification> Classifier::classify(std::span<const text::LabelledText> texts,
                                                 const ClassifyCall& call) const {
  const NoGradient values_only;
  const std::int64_t most = longest_read(call.longest, parts_.longest);
  const std::vector<double> thresholds = this->thresholds(call);
  std::vector<text::Encoding> encoded;
  std::vector<text::TokenPair> pairs;
  std::vector<Classification> all(texts.size());
  for (const text::LabelledText& one : texts) {
    const std::size_t index = encoded.size();
    for (const std::string* side : {&one.text, &one.second}) {
      std::string problem = text_problem(*side);
      if (!problem.empty()) throw BadText("text", index + 1, index, std::move(problem));
    }
    if (parts_.second == one.second.empty()) {
      throw UsageError(parts_.second ? "this model compares two texts, and there is one; "
                                       "put a tab and the second after it"
                                     : "this model reads one text, and there are two");
    }
    encoded.push_back(read(one.text, parts_.shape, most, &all[index].left_out));
    if (text::words_of(one.text).empty()) {
      for (const text::Aspect& aspect : parts_.labels.aspects()) {
        all[index].aspects.push_back(
            {.aspect = aspect.name, .probabilities = std::vector<double>(aspect.classes.size())});
      }
      continue;
    }
    text::TokenPair pair{.source = encoded.back().tokens, .line = index};
    if (parts_.second) pair.target = read(one.second, text::TextShape::line, most).tokens;
    for (const text::Tokens& tokens : parts_.room.read_as(pair.source, pair.target)) {
      if (parts_.room.holds(tokens)) continue;
      throw BadText("text", index + 1, index,
                    fmt::format("{}; {}", parts_.room.shortage(tokens), kReadingRemedy));
    }
    pairs.push_back(std::move(pair));
  }
  for (const text::PairBatch& batch : text::pair_batches(pairs, call.batch)) {
    models::ClassifierInput input{.text = models::sequences(batch.source)};
    if (parts_.second) input.second = models::sequences(batch.target);
    attention::Trace trace;
    models::SyntaxWatch syntax;
    attention::Observers watch({call.attention || call.trace ? &trace : nullptr,
                                call.heads && parses() ? &syntax : nullptr});
    const std::vector<Variable> logits = (*parts_.model)(input, {.watch = watch.get()});
    const Ids heads = syntax.found(*parts_.model, input.text);
    std::vector<Tensor> shares;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const double temperature = parts_.confidence.empty() ? 1 : parts_.confidence[i].temperature;
      shares.push_back(softmax(logits[i] * static_cast<Real>(1 / temperature)).value());
    }
    const std::vector<Tensor> weights =
        call.attention ? parts_.model->token_weights(trace, input) : std::vector<Tensor>();
    for (std::size_t row = 0; row < batch.lines.size(); ++row) {
      const std::size_t place = batch.lines[row];
      const auto b = static_cast<std::int64_t>(row);
      Classification& mine = all[place];
      for (const std::string_view word : text::words_of(texts[place].text)) {
        mine.words.emplace_back(word);
      }
      for (std::size_t i = 0; i < logits.size(); ++i) {
        mine.aspects.push_back(prediction_of(parts_.labels.aspects()[i], shares[i].select(0, b)));
        mine.aspects.back().unknown = mine.aspects.back().probability < thresholds[i];
        if (i < weights.size()) {
          mine.aspects.back().attention =
              by_word(weights[i].select(0, b), encoded[place].words, mine.words.size(),
                      selects() ? OfTokens::most : OfTokens::sum);
        }
      }
      if (heads.defined()) {
        mine.heads =
            word_heads(heads.select(0, b).values(), encoded[place].words, mine.words.size());
      }
      if (call.trace) mine.trace = traced(predicted(texts[place], mine, most), trace, input, b);
    }
  }
  return all;
}

}  // namespace heed::pipeline
