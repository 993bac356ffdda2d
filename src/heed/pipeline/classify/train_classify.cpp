// SPDX-License-Identifier: Apache-2.0
// From labelled texts to a classifier: labels, vocabulary, model, training with validation.
#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/base/warning.h"
#include "heed/metrics/classification.h"
#include "heed/pipeline/batch_sequence.h"
#include "heed/pipeline/classify/class_weights.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/classify/confidence.h"
#include "heed/pipeline/classify/rationale_quality.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {
namespace {

Ids aspect_classes(const text::PairBatch& batch, std::size_t aspect) {
  Ids classes({static_cast<std::int64_t>(batch.labels.size())});
  std::ranges::transform(batch.labels, classes.mutable_data(),
                         [&](const std::vector<std::int32_t>& mine) { return mine[aspect]; });
  return classes;
}

models::ClassifierInput input_of(const text::PairBatch& batch) {
  models::ClassifierInput input{.text = models::sequences(batch.source)};
  if (batch.target.width > 0) input.second = models::sequences(batch.target);
  return input;
}

// The files and how they are written, looked at once.
struct ClassifyFiles {
  explicit ClassifyFiles(const ClassifyOptions& options)
      : train_form(options.form(options.train)),
        valid_form(options.valid.empty() ? train_form : options.form(options.valid)),
        train(text::labelled_lines(options.train, train_form)) {
    valid_form.phrases = false;
    if (!options.valid.empty()) valid = text::labelled_lines(options.valid, valid_form);
  }

  text::LabelledForm train_form;
  text::LabelledForm valid_form;
  text::PairFiles train;
  text::PairFiles valid{};
};

text::Labels find_labels(const ClassifyOptions& options, const ClassifyFiles& files) {
  const std::filesystem::path file = options.folder().file(kLabelsFile);
  if (options.goes_on()) return text::Labels::load(file);
  text::Labels labels(options.aspects);
  text::PairReader reader = training_lines(files.train, options.held());
  text::LinePair line;
  if (!reader.next(line)) throw reader.nothing_left();
  do {
    for (const text::LabelledText& one :
         text::labelled_texts(files.train_form, line.source, reader.name(), line.line)) {
      labels.add(one.labels);
    }
  } while (reader.next(line));
  labels.check(options.train);
  return labels;
}

TokeniserPointer learn_tokeniser(const ClassifyOptions& options, const ClassifyFiles& files,
                                 const Print& print) {
  text::PairReader reader = training_lines(files.train, options.held());
  std::vector<std::string> texts;
  for (const text::LinePair& line :
       text::sample_pairs(reader, {.lines = static_cast<std::size_t>(options.vocabulary.sample),
                                  .seed = options.trainer.seed})) {
    for (text::LabelledText& one :
         text::labelled_texts(files.train_form, line.source, reader.name(), line.line)) {
      texts.push_back(std::move(one.text));
      if (options.second) texts.push_back(std::move(one.second));
    }
  }
  return train_vocabulary(options.vocabulary.to_options(options.threads), texts, print);
}

text::LabelledEncoder encoder_of(const ClassifyOptions& options, const text::LabelledForm& form,
                                 const text::Tokeniser& tokeniser, const text::Labels& labels) {
  return {.tokeniser = &tokeniser,
          .labels = &labels,
          .form = form,
          .shape = options.shape(),
          .limit = options.limit(),
          .name = options.train};
}

// Texts held out, and how well they are judged.
class ClassifyValidation {
 public:
  ClassifyValidation(const ClassifyOptions& options, const ClassifyFiles& files,
                     const text::Tokeniser& tokeniser, const text::Labels& labels,
                     const models::Classifier& model)
      : options_(options), labels_(labels), model_(model), rationale_(options.rationale_loss) {
    held_ = held_out_lines(files.valid, files.train, options.held());
    text::LabelledEncoder whole = encoder_of(options, files.valid_form, tokeniser, labels);
    whole.name = held_.name;
    whole.limit = {options.limit().max_length, text::TooLong::crop};
    const text::LineEncoder encode = within(options.room(), whole, held_.name, kValidationRemedy);
    for (const text::LinePair& line : held_.lines) {
      for (text::TokenPair& pair : encode(line).pairs) {
        pair.line = pairs_.size();  // of texts_
        pairs_.push_back(std::move(pair));
      }
      for (text::LabelledText& one :
           text::labelled_texts(files.valid_form, line.source, held_.name, line.line)) {
        texts_.push_back(std::move(one));
      }
    }
    if (!held_.lines.empty() && pairs_.empty()) {
      throw DataError("{}: no labelled text to validate with", held_.name);
    }
  }

  std::vector<training::MetricKind> metrics() const {
    if (pairs_.empty()) return {};
    std::vector<training::MetricKind> kinds = {{"loss", training::Better::lower},
                                               {"accuracy", training::Better::higher},
                                               {"f1", training::Better::higher}};
    if (model_.selects()) {
      kinds.push_back({"kept", training::Better::lower});
      kinds.push_back({"cost", training::Better::lower});
    }
    return kinds;
  }

  training::Metrics measure() {
    const NoGradient values_only;
    std::vector<metrics::Confusion> found;
    for (const text::Aspect& aspect : labels_.aspects()) found.emplace_back(aspect.classes);
    guessed_.assign(texts_.size(), {});
    double lost = 0, kept = 0, cost = 0;
    for (const text::PairBatch& batch :
         text::pair_batches(pairs_, {.tokens = options_.batch_tokens})) {
      models::Selection selection;
      const std::vector<Variable> logits = model_(input_of(batch), {}, &selection);
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
    if (model_.selects()) {
      const auto count = static_cast<double>(pairs_.size());
      measured["kept"] = kept / count;
      measured["cost"] = lost / count + cost / count;  // what training is asked to make small
    }
    return measured;
  }
  const std::vector<text::TokenPair>& pairs() const { return pairs_; }

  // Temperatures and thresholds of the model of the folder, which keeps them from now on; rows of
  // the card, none without texts.
  CardFacts choose(const ModelFolder& folder, const Print& print) const {
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
      facts.emplace_back(name, fmt::format("{}, chosen on {} validation texts", one.to_string(),
                                           one.before.size()));
      say(print, facts.back().first + ": " + facts.back().second);
    }
    return facts;
  }

  std::vector<std::string> examples() const {
    std::vector<std::string> texts;
    for (const text::LabelledText& one : texts_) {
      texts.push_back(one.second.empty() ? one.text : one.text + "\t" + one.second);
    }
    return chosen_examples(texts, static_cast<std::size_t>(options_.examples));
  }

  std::string samples() const {
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

 private:
  const ClassifyOptions& options_;
  const text::Labels& labels_;
  const models::Classifier& model_;
  training::RationaleLoss rationale_;
  HeldOutLines held_;
  std::vector<text::TokenPair> pairs_;
  std::vector<text::LabelledText> texts_;
  std::vector<std::vector<std::string>> guessed_;
};

// The corpus as batches, what the model makes of them, and how well it judges those held out.
class ClassifySetup final : public TrainingSetup {
 public:
  ClassifySetup(const ClassifyOptions& options, const Print& print)
      : options_(options),
        files_(options),
        labels_(find_labels(options, files_)),
        tokeniser_(find_tokeniser(options, options.vocabulary,
                                  [&] { return learn_tokeniser(options, files_, print); })),
        random_(options.trainer.seed),
        model_(options.model(tokeniser_->size(), labels_), random_),
        parameters_(started(print)),
        weights_(class_weights(options.class_weights, labels_, options.train)),
        batches_(
            {training_lines(files_.train, options.held()),
             within(options.room(), encoder_of(options, files_.train_form, *tokeniser_, labels_),
                    options.train, kTrainingRemedy),
             options.stream(options.trainer.seed)}),
        validation_(options, files_, *tokeniser_, labels_, model_),
        drawn_(options.draw),
        rationale_(options.rationale_loss) {}

  nn::Parameters parameters() override { return parameters_; }

  training::Task task() override {
    training::Task task = batches_.task([this](Random& noise) { return next(noise); });
    task.metrics = validation_.metrics();
    if (!task.metrics.empty()) task.validate = [this] { return validation_.measure(); };
    task.samples = [this] { return validation_.samples(); };
    drawn_.join(task);
    rationale_.join(task);
    return task;
  }

  CardFacts facts() override {
    CardFacts facts = {{"encoder", options_.kind_text()},
                       model_.selects()
                           ? CardFacts::value_type{"rationale", options_.rationale.gate}
                           : CardFacts::value_type{"attention", options_.attention},
                       {"parameters", fmt::format("{}", nn::parameter_count(parameters_))}};
    for (const text::Aspect& aspect : labels_.aspects()) {
      facts.emplace_back(aspect.name, join(aspect.classes, ", "));
    }
    return facts;
  }

  std::string data() const override { return batches_.report(); }
  std::vector<const text::Tokeniser*> tokenisers() const override { return {tokeniser_.get()}; }
  std::uint64_t epoch_batches() const override { return batches_.window_batches(); }
  std::vector<std::string> examples() const override { return validation_.examples(); }
  std::int64_t longest() const override { return batches_.longest(); }
  CardFacts choose(const ModelFolder& folder, const Print& print) override {
    CardFacts facts = validation_.choose(folder, print);
    if (model_.selects() && options_.outsider_updates > 0 && !validation_.pairs().empty()) {
      facts.push_back(judge_code(folder, print));
    }
    return facts;
  }
  void save_files(const ModelFolder& folder) const override {
    tokeniser_->save(folder.file(kTokeniserFile));
    labels_.save(folder.file(kLabelsFile));
  }

 private:
  // Whether an outsider can read the rationales of the folder's model as well as it does itself.
  CardFacts::value_type judge_code(const ModelFolder& folder, const Print& print) {
    Random unused(0);
    models::Classifier model(options_.model(tokeniser_->size(), labels_), unused);
    nn::Parameters parameters = nn::parameters(model);
    folder.load_weights(parameters);
    Progress progress(
        {.what = "outsider", .total = static_cast<std::uint64_t>(options_.outsider_updates)});
    const PrivateCode code = private_code(
        model, validation_.pairs(),
        {.model = options_.model(tokeniser_->size(), labels_),
         .updates = options_.outsider_updates,
         .seed = options_.trainer.seed + 1,
         .next = [this]() -> const text::PairBatch& { return batches_.next(); },
         .done = [&](std::int64_t done) { progress.update(static_cast<std::uint64_t>(done)); }});
    CardFacts::value_type fact{
        "rationales read by an outsider",
        fmt::format("accuracy {:.3f}, its own {:.3f}, gap {:.3f}, on {} validation texts "
                    "of which something is kept",
                    code.outsider, code.own, code.gap(), code.texts)};
    say(print, fact.first + ": " + fact.second);
    if (code.gap() > kMostPrivate) {
      warn(
          fmt::format("rationale: private code: an outsider reads the rationales {:.2f} worse than "
                      "the model itself, so that the answer is in the choice of words rather than "
                      "in the words; raise --rationale-size, or choose another gate",
                      code.gap()));
    }
    return fact;
  }

  nn::Parameters started(const Print& print) {
    nn::Parameters parameters = nn::parameters(model_);
    set_starting_weights({&options_, options_.vocabulary.embeddings}, *tokeniser_, parameters,
                         print);
    return parameters;
  }

  training::BatchLoss next(Random& noise) {
    const text::PairBatch& batch = batches_.next();
    std::vector<Ids> classes;    // of each aspect
    std::vector<Tensor> counts;  // what each text's loss counts
    training::BatchLoss result{.loss = {},
                               .words = static_cast<double>(batch.source.tokens()),
                               .ends_epoch = batches_.ended_epoch()};
    for (std::size_t i = 0; i < labels_.aspects().size(); ++i) {
      classes.push_back(aspect_classes(batch, i));
      counts.emplace_back(Shape{classes[i].size()});
      std::ranges::transform(classes[i].span(), counts[i].mutable_data(), [&](std::int32_t one) {
        return weights_[i][static_cast<std::size_t>(one)];
      });
      for (const Real count : counts[i].span()) result.weight += count;
    }
    const models::ClassifierInput input = input_of(batch);
    models::Selection selection;  // as it was drawn last
    result.loss = drawn_(noise, [&](const models::Call& call, attention::Draws& draws) {
      draws.count("text", input.text.lengths);
      if (batch.target.width > 0) draws.count("second", input.second.lengths);
      models::Selection mine;
      const std::vector<Variable> logits = model_(input, call, &mine);
      Variables losses;  // [B] of each aspect, and of what was kept
      Variable total;
      for (std::size_t i = 0; i < logits.size(); ++i) {
        losses.push_back(cross_entropy(logits[i], classes[i],
                                       {.smoothing = static_cast<Real>(options_.label_smoothing),
                                        .reduction = Reduction::none}) *
                         Variable(counts[i]));
        const Variable lost = sum(losses.back());
        total = total.defined() ? total + lost : lost;
      }
      if (mine.defined()) {
        const training::RationaleCost cost = rationale_(mine);
        losses.push_back(cost.kept);
        total = total + sum(cost.kept);
        if (cost.expected.defined()) total = total + sum(cost.expected);
        if (call.noise != nullptr) selection = mine;
      }
      return training::SequenceLosses{
          .total = total, .each = [losses] { return sum(stack(losses, 0), 0).value(); }};
    });
    if (selection.defined()) rationale_.update(selection);
    return result;
  }

  const ClassifyOptions& options_;
  ClassifyFiles files_;
  text::Labels labels_;
  TokeniserPointer tokeniser_;
  Random random_;
  models::Classifier model_;
  nn::Parameters parameters_;
  std::vector<std::vector<Real>> weights_;
  BatchSequence batches_;
  ClassifyValidation validation_;
  training::DrawnLoss drawn_;
  training::RationaleLoss rationale_;
};

}  // namespace

std::unique_ptr<TrainingSetup> ClassifyOptions::setup(const Print& print) const {
  return std::make_unique<ClassifySetup>(*this, print);
}

}  // namespace heed::pipeline
