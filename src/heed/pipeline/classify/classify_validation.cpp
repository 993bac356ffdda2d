// SPDX-License-Identifier: Apache-2.0
// Texts held out, and how well they are judged.
#include "heed/pipeline/classify/classify_validation.h"

#include <algorithm>
#include <iterator>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/metrics/classification.h"
#include "heed/models/syntactic_attention.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/confidence.h"
#include "heed/pipeline/examples.h"

namespace heed::pipeline {

ClassifyValidation::ClassifyValidation(const Training& training)
    : options_(training.options),
      labels_(training.labels),
      model_(training.model),
      asked_(training.asked),
      rationale_(training.options.rationale_loss) {
  const auto& [options, files, tokeniser, labels, model, trees, asked] = training;
  held_ = held_out_lines(files.valid, files.train, options.held());
  text::LabelledEncoder whole = encoder_of(options, files.valid_form, tokeniser, labels);
  whole.name = held_.name;
  whole.limit = {options.limit().max_length, text::TooLong::crop};
  const bool own = !options.valid.empty();
  GoldTrees mine;  // of a file of its own
  if (own && !options.valid_trees.empty()) {
    mine = GoldTrees(options.valid_trees, options.valid, files.valid_form, tokeniser);
  }
  const GoldTrees& known = own ? mine : trees;
  const text::LineEncoder encode = within(options.room(), whole, held_.name, kValidationRemedy);
  for (const text::LinePair& line : held_.lines) {
    for (text::TokenPair& pair : encode(line).pairs) {
      pair.line = pairs_.size();  // of texts_
      pairs_.push_back(std::move(pair));
    }
    for (text::LabelledText& one :
         text::labelled_texts(files.valid_form, line.source, held_.name, line.line)) {
      texts_.push_back(std::move(one));
      if (!known.empty()) trees_.push_back(known.at(line.line));
    }
  }
  if (!held_.lines.empty() && pairs_.empty()) {
    throw DataError("{}: no labelled text to validate with", held_.name);
  }
}

std::vector<training::MetricKind> ClassifyValidation::metrics() const {
  if (pairs_.empty()) return {};
  std::vector<training::MetricKind> kinds = {{"loss", training::Better::lower},
                                             {"accuracy", training::Better::higher},
                                             {"f1", training::Better::higher}};
  if (model_.selects()) {
    kinds.push_back({"kept", training::Better::lower});
    kinds.push_back({"cost", training::Better::lower});
  }
  if (!trees_.empty()) kinds.push_back({"attachment", training::Better::higher});
  for (const std::string& name : asked_.names()) {
    kinds.push_back(
        {name, name == "diverged" ? training::Better::higher : training::Better::lower});
  }
  return kinds;
}

void ClassifyValidation::compare_trees(const Ids& heads, const text::PairBatch& batch,
                                       TreeQuality& trees) const {
  for (std::size_t row = 0; row < batch.lines.size(); ++row) {
    const text::Heads& gold = trees_[batch.lines[row]];
    // Of a text that was cropped, the tree is not known.
    if (static_cast<std::int32_t>(gold.size()) + 1 != batch.source.lengths[row]) continue;
    text::Heads found = heads.select(0, static_cast<std::int64_t>(row)).values();
    found.resize(gold.size());
    trees.add(gold, found);
  }
}

training::Metrics ClassifyValidation::measure() {
  const NoGradient values_only;
  std::vector<metrics::Confusion> found;
  for (const text::Aspect& aspect : labels_.aspects()) found.emplace_back(aspect.classes);
  guessed_.assign(texts_.size(), {});
  double lost = 0, kept = 0, cost = 0;
  TreeQuality trees;
  AttentionLosses::Measured asked;
  for (const text::PairBatch& batch :
       text::pair_batches(pairs_, {.tokens = options_.batch_tokens})) {
    models::Selection selection;
    models::SyntaxWatch syntax;
    const models::ClassifierInput input = input_of(batch);
    AttentionLosses::Watch seen;
    attention::Observers watch(
        {trees_.empty() ? nullptr : &syntax, asked_.any() ? &seen : nullptr});
    const std::vector<Variable> logits = model_(input, {.watch = watch.get()}, &selection);
    if (asked_.any()) asked += asked_.measured(seen, input.text, logits);
    if (!trees_.empty()) compare_trees(syntax.found(model_, input.text), batch, trees);
    if (selection.defined()) {
      kept += training::kept_share(selection) * static_cast<double>(batch.labels.size());
      for (const Real one : rationale_.full(selection).span()) cost += one;
    }
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const Ids classes = aspect_classes(batch, i);
      lost += cross_entropy(logits[i], classes, {.reduction = Reduction::sum}).item();
      for (std::int64_t row = 0; row < classes.size(); ++row) {
        const std::vector<Real> scores = logits[i].value().select(0, row).values();
        const auto best = std::ranges::max_element(scores) - scores.begin();
        found[i].add(classes.at({row}), static_cast<std::int32_t>(best));
        guessed_[batch.lines[static_cast<std::size_t>(row)]].push_back(
            labels_.aspects()[i].classes[static_cast<std::size_t>(best)]);
      }
    }
  }
  const auto aspects = static_cast<double>(found.size());
  training::Metrics measured;
  measured["loss"] = lost / (static_cast<double>(pairs_.size()) * aspects);
  for (const metrics::Confusion& one : found) {
    measured["accuracy"] += one.accuracy() / aspects;
    measured["f1"] += one.macro().f1 / aspects;
  }
  if (!trees_.empty()) measured["attachment"] = trees.attachment();
  for (const std::string& name : asked_.names()) {
    measured[name] = asked_.value(asked, name, static_cast<double>(pairs_.size()));
  }
  if (model_.selects()) {
    const auto count = static_cast<double>(pairs_.size());
    measured["kept"] = kept / count;
    measured["cost"] = lost / count + cost / count;  // what training is asked to make small
  }
  return measured;
}

CardFacts ClassifyValidation::choose(const ModelFolder& folder, const Print& print) const {
  const Classifier classifier(folder.path);
  std::vector<text::LabelledText> texts;  // that can be read in use as well
  std::ranges::copy_if(texts_, std::back_inserter(texts), [&](const text::LabelledText& one) {
    return classifier.unreadable(one).empty();
  });
  if (texts.empty()) return {};
  const std::vector<Classification> found =
      classifier.classify(texts, {.batch = {.tokens = options_.batch_tokens}});
  const std::vector<ChosenConfidence> chosen =
      choose_confidence(texts, found, labels_, options_.threshold_accuracy);
  keep_confidence(folder.path, chosen);
  write_atomically(folder.file(kReliabilityFile), reliability_picture(chosen));
  CardFacts facts;
  for (const ChosenConfidence& one : chosen) {
    const std::string name = "confidence" + (chosen.size() > 1 ? " in " + one.aspect : "");
    facts.emplace_back(
        name, fmt::format("{}, chosen on {} validation texts", one.to_string(), one.before.size()));
    say(print, facts.back().first + ": " + facts.back().second);
  }
  return facts;
}

std::vector<std::string> ClassifyValidation::examples() const {
  std::vector<std::string> texts;
  for (const text::LabelledText& one : texts_) {
    texts.push_back(one.second.empty() ? one.text : one.text + "\t" + one.second);
  }
  return chosen_examples(texts, static_cast<std::size_t>(options_.examples));
}

std::string ClassifyValidation::samples() const {
  std::string text;
  const auto count = std::min(guessed_.size(), static_cast<std::size_t>(options_.samples));
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("  {}\n  -> {}", shorten(texts_[i].text, 90), join(guessed_[i], ", "));
    if (guessed_[i] != texts_[i].labels) {
      text += fmt::format(", and it is {}", join(texts_[i].labels, ", "));
    }
    text += "\n";
  }
  return text;
}

}  // namespace heed::pipeline
