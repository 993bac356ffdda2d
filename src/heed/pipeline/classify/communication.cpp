// SPDX-License-Identifier: Apache-2.0
// Explainers by name, messages, and the layperson who learns from them.
#include "heed/pipeline/classify/communication.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/explain/explainer.h"
#include "heed/nn/initialisers.h"
#include "heed/pipeline/classify/learned_explainer.h"
#include "heed/training/optimiser.h"

namespace heed::pipeline {
namespace {

std::vector<std::int32_t> answers_of(std::span<const Classification> found, std::size_t aspect) {
  std::vector<std::int32_t> answers;
  for (const Classification& one : found) {
    const std::vector<double>& shares = one.aspects[aspect].probabilities;
    answers.push_back(static_cast<std::int32_t>(std::ranges::max_element(shares) - shares.begin()));
  }
  return answers;
}

WordWeights random_weights(const ExplainerCall& call) {
  Random random(call.seed);
  WordWeights all;
  for (const Classification& one : call.found) {
    std::vector<double>& mine = all.emplace_back(one.words.size());
    for (double& weight : mine) weight = 1 - random.uniform<double>();  // never 0
  }
  return all;
}

WordWeights equal_weights(const ExplainerCall& call) {
  WordWeights all;
  for (const Classification& one : call.found) all.emplace_back(one.words.size(), 1.0);
  return all;
}

WordWeights attention_weights(const ExplainerCall& call) {
  if (!call.classifier->attends()) {
    throw UsageError(
        "--explainers attention: this classifier has none; name others, or train one with "
        "--attention or --rationale");
  }
  WordWeights all;
  for (const Classification& one : call.found) all.push_back(one.aspects[call.aspect].attention);
  return all;
}

// The shares of an explainer of the catalogue; words that speak against the answer have none.
WordWeights explained_weights(const ExplainerCall& call, const explain::Explainer& explainer) {
  const std::string& aspect = call.classifier->labels().aspects()[call.aspect].name;
  WordWeights all;
  for (std::size_t i = 0; i < call.found.size(); ++i) {
    std::vector<double>& mine = all.emplace_back(call.found[i].words.size());
    if (mine.empty()) continue;
    const Explained one = call.classifier->explained(
        {.text = call.texts[i].text, .second = call.texts[i].second}, {.aspect = aspect});
    const explain::Explanation found = explainer.explain(*one.subject);
    for (std::size_t w = 0; w < found.shares.size(); ++w) mine[w] = std::max(found.shares[w], 0.);
    if (call.done) call.done(1);
  }
  return all;
}

// One that has learnt from the first texts what to name in the others.
Weigh learned(const ExplainerCall& lessons, double told) {
  const auto words_of = [](std::span<const Classification> found) {
    std::vector<Message> texts;
    for (const Classification& one : found) texts.push_back(one.words);
    return texts;
  };
  const text::Aspect& aspect = lessons.classifier->labels().aspects()[lessons.aspect];
  const auto explainer = std::make_shared<const LearnedExplainer>(
      words_of(lessons.found), answers_of(lessons.found, lessons.aspect),
      static_cast<std::int64_t>(aspect.classes.size()),
      LearnedExplainerOptions{.told = told, .seed = lessons.seed, .done = {}});
  return [explainer, words_of](const ExplainerCall& call) {
    return explainer->weigh(words_of(call.found), answers_of(call.found, call.aspect));
  };
}

// One that has nothing to learn.
template <WordWeights (*weigh)(const ExplainerCall&)>
Weigh ready(const ExplainerCall&) {
  return weigh;
}

double share_equal(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  double equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1 : 0;
  return equal / static_cast<double>(a.size());
}

std::vector<Message> messages_of(std::span<const Classification> found, const WordWeights& weights,
                                 std::int64_t most) {
  std::vector<Message> messages;
  for (std::size_t i = 0; i < found.size(); ++i) {
    messages.push_back(message_of(found[i].words, weights[i], most));
  }
  return messages;
}

std::vector<std::string> suitable_explainers(const Classifier& classifier) {
  std::vector<std::string> names = {"random"};
  if (classifier.attends()) names.emplace_back("attention");
  names.emplace_back("leave_one_out");
  if (classifier.has_word_gradients()) names.emplace_back("gradient_input");
  names.emplace_back("all");
  return names;
}

// One of those here, or of the catalogue.
Explainer explainer_called(const std::string& written) {
  const auto found = std::ranges::find(explainers(), written, &Explainer::name);
  if (found != explainers().end()) return *found;
  try {
    const std::shared_ptr<const explain::Explainer> made = explain::make_explainer(written);
    return {written, made->card().summary, [made](const ExplainerCall&) -> Weigh {
              return [made](const ExplainerCall& call) { return explained_weights(call, *made); };
            }};
  } catch (const UsageError& error) {
    std::vector<std::string> names;
    for (const Explainer& one : explainers()) names.push_back(one.name);
    throw UsageError("--explainers {}: {}; and {}", written, error.what(), join(names, ", "));
  }
}

}  // namespace

const std::vector<Explainer>& explainers() {
  static const std::vector<Explainer> all = {
      {"random", "any words: the control", ready<random_weights>},
      {"attention", "those of most attention, or of a rationale", ready<attention_weights>},
      {"selective", "all that sparse attention or a rationale kept", ready<attention_weights>,
       true},
      {"learned", "those that a network has learnt to name, for a layperson who learns with it",
       [](const ExplainerCall& lessons) { return learned(lessons, lessons.told); }},
      {"cheating", "the same, always told the answer: a code that explains nothing",
       [](const ExplainerCall& lessons) { return learned(lessons, 1); }},
      {"all", "every word: what the layperson could know at most", ready<equal_weights>, true},
  };
  return all;
}

Message message_of(std::span<const std::string> words, std::span<const double> weights,
                   std::int64_t most) {
  if (words.size() != weights.size()) {
    throw UsageError("message_of: {} words with {} weights", words.size(), weights.size());
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (weights[i] > 0) places.push_back(i);
  }
  if (most > 0 && static_cast<std::int64_t>(places.size()) > most) {
    std::ranges::stable_sort(places, std::greater(), [&](std::size_t i) { return weights[i]; });
    places.resize(static_cast<std::size_t>(most));
    std::ranges::sort(places);
  }
  Message message;
  for (const std::size_t place : places) message.push_back(words[place]);
  return message;
}

Layperson::Layperson(std::span<const Message> messages, std::span<const std::int32_t> classes,
                     std::int64_t count, const LaypersonOptions& options) {
  if (messages.size() != classes.size() || messages.empty()) {
    throw UsageError("layperson: {} messages about {} answers; it learns from pairs",
                     messages.size(), classes.size());
  }
  for (const Message& message : messages) {
    words_.insert(words_.end(), message.begin(), message.end());
  }
  std::ranges::sort(words_);
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  table_ = nn::parameter(Tensor::zeros({static_cast<std::int64_t>(words_.size()) + 1, count}));
  bias_ = nn::parameter(Tensor::zeros({count}));

  // A tenth is held out, to know when to stop.
  Random random(options.seed);
  std::vector<std::size_t> order(messages.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::shuffle(order, random);
  const std::size_t held = messages.size() / 10;
  const auto gathered = [&](std::span<const std::size_t> places) {
    std::vector<Message> mine;
    Ids right({static_cast<std::int64_t>(places.size())});
    for (std::size_t i = 0; i < places.size(); ++i) {
      mine.push_back(messages[places[i]]);
      right.mutable_data()[i] = classes[places[i]];
    }
    return std::pair(bags(mine), right);
  };
  const auto [held_bags, held_right] = gathered(std::span(order).first(held));
  const std::span<std::size_t> rest = std::span(order).subspan(held);
  training::Optimiser optimiser({{"table", table_}, {"bias", bias_}}, training::Adam{});
  double best = 0;
  std::int64_t since = 0;
  std::pair<Tensor, Tensor> kept{table_.value().clone(), bias_.value().clone()};
  for (std::int64_t epoch = 0; epoch < options.epochs && since < options.patience; ++epoch) {
    std::ranges::shuffle(rest, random);
    for (std::size_t at = 0; at < rest.size(); at += static_cast<std::size_t>(options.batch)) {
      const std::size_t size = std::min(rest.size() - at, static_cast<std::size_t>(options.batch));
      const auto [some, right] = gathered(rest.subspan(at, size));
      backward(cross_entropy(scores(some), right));
      optimiser.step({.learning_rate = options.learning_rate});
    }
    if (held == 0) continue;
    const NoGradient values_only;
    const double loss = -cross_entropy(scores(held_bags), held_right).item();
    ++since;
    if (epoch == 0 || loss > best) {
      best = loss;
      since = 0;
      kept = {table_.value().clone(), bias_.value().clone()};
    }
  }
  if (held > 0) {
    table_.mutable_value() = kept.first;
    bias_.mutable_value() = kept.second;
  }
}

Ids Layperson::bags(std::span<const Message> messages) const {
  std::size_t most = 1;
  for (const Message& message : messages) most = std::max(most, message.size());
  Ids rows =
      Ids::zeros({static_cast<std::int64_t>(messages.size()), static_cast<std::int64_t>(most)});
  for (std::size_t i = 0; i < messages.size(); ++i) {
    std::int32_t* row = rows.mutable_data() + i * most;
    for (const std::string& word : messages[i]) {
      const auto place = std::ranges::lower_bound(words_, word);
      if (place == words_.end() || *place != word) continue;
      *row++ = static_cast<std::int32_t>(place - words_.begin()) + 1;
    }
  }
  return rows;
}

// bags [N,M] -> [N,C]
Variable Layperson::scores(const Ids& bags) const {
  return sum(embedding(table_, bags, 0), 1) + bias_;
}

std::vector<std::int32_t> Layperson::guess(std::span<const Message> messages) const {
  if (messages.empty()) return {};
  const NoGradient values_only;
  const Tensor found = scores(bags(messages)).value().packed();
  const std::int64_t classes = found.size(1);
  std::vector<std::int32_t> guesses;
  for (std::int64_t i = 0; i < found.size(0); ++i) {
    const Real* row = found.data() + i * classes;
    guesses.push_back(static_cast<std::int32_t>(std::max_element(row, row + classes) - row));
  }
  return guesses;
}

void CommunicationOptions::declare(Options& options) {
  options.add(
      "explainers", explainers,
      "who names words: random, attention, selective (all that sparse attention or a "
      "rationale kept), learned, cheating (learned, but always told the answer), all, and those of "
      "heed explain --methods; none named: random, attention, leave_one_out, gradient_input and "
      "all, as far as the model has them");
  options.add("words", words, "most words that an explainer names").range(1, 1 << 16);
  options
      .add(
          "told", told,
          "how often the learned explainer is told the answer while it learns, and then always; 0: "
          "never")
      .range(0, 1);
  options.add("epochs", layperson.epochs, "of the layperson").range(1, 1000);
  options.add("seed", layperson.seed, "of the random explainer and the layperson");
}

Communications communicate(const Classifier& classifier, std::span<const text::LabelledText> train,
                           std::span<const text::LabelledText> test,
                           const CommunicationOptions& options) {
  if (options.aspect >= classifier.labels().aspects().size()) {
    throw UsageError("communicate: aspect {}; the classifier has {}", options.aspect,
                     classifier.labels().aspects().size());
  }
  if (train.empty() || test.empty()) throw UsageError("communicate: no texts to explain");
  std::vector<Explainer> chosen;
  for (const std::string& name :
       options.explainers.empty() ? suitable_explainers(classifier) : options.explainers) {
    chosen.push_back(explainer_called(name));
  }

  const text::Aspect& aspect = classifier.labels().aspects()[options.aspect];
  const ClassifyCall call{.attention = classifier.attends()};
  const std::vector<Classification> learnt = classifier.classify(train, call);
  const std::vector<Classification> judged = classifier.classify(test, call);
  const std::vector<std::int32_t> said = answers_of(judged, options.aspect);
  std::vector<std::int32_t> truth;
  for (const text::LabelledText& one : test) {
    truth.push_back(aspect.find(one.labels[options.aspect]));
  }
  Communications result{.classifier_accuracy = share_equal(said, truth)};
  Progress progress({.what = "explain", .total = chosen.size() * (train.size() + test.size())});
  std::uint64_t explained = 0;
  for (const Explainer& one : chosen) {
    const std::uint64_t before = explained;
    const auto call_of = [&](std::span<const text::LabelledText> texts,
                             std::span<const Classification> found,
                             std::uint64_t seed) -> ExplainerCall {
      return {.classifier = &classifier,
              .texts = texts,
              .found = found,
              .aspect = options.aspect,
              .seed = seed,
              .told = options.told,
              .done = [&](std::size_t texts_done) {
                progress.update(explained += texts_done, one.name);
              }};
    };
    const ExplainerCall taught = call_of(train, learnt, options.layperson.seed);
    const Weigh weigh = one.prepare(taught);
    const std::int64_t most = one.all_words ? 0 : options.words;
    const std::vector<Message> lessons = messages_of(learnt, weigh(taught), most);
    const std::vector<Message> questions =
        messages_of(judged, weigh(call_of(test, judged, options.layperson.seed + 1)), most);
    const Layperson layperson(lessons, answers_of(learnt, options.aspect),
                              static_cast<std::int64_t>(aspect.classes.size()), options.layperson);
    const std::vector<std::int32_t> guessed = layperson.guess(questions);
    double words = 0;
    for (const Message& message : questions) words += static_cast<double>(message.size());
    result.all.push_back({.explainer = one.name,
                          .success = share_equal(guessed, said),
                          .layperson_accuracy = share_equal(guessed, truth),
                          .words = words / static_cast<double>(questions.size())});
    explained = before + train.size() + test.size();
    progress.update(explained, one.name);
  }
  return result;
}

}  // namespace heed::pipeline
