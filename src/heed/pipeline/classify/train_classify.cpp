// SPDX-License-Identifier: Apache-2.0
// From labelled texts to a classifier: labels, vocabulary, model, training with validation.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "heed/autograd/ops.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/base/warning.h"
#include "heed/models/syntactic_attention.h"
#include "heed/pipeline/batch_sequence.h"
#include "heed/pipeline/classify/attention_losses.h"
#include "heed/pipeline/classify/class_weights.h"
#include "heed/pipeline/classify/classify_data.h"
#include "heed/pipeline/classify/classify_validation.h"
#include "heed/pipeline/classify/gold_trees.h"
#include "heed/pipeline/classify/rationale_quality.h"
#include "heed/pipeline/held_out.h"
#include "heed/pipeline/starting_weights.h"
#include "heed/text/sample_lines.h"

namespace heed::pipeline {
namespace {

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
        trees_(options.trees.empty()
                   ? GoldTrees()
                   : GoldTrees(options.trees, options.train, files_.train_form, *tokeniser_)),
        asked_(options.attention_losses, *tokeniser_, labels_, model_),
        validation_({options, files_, *tokeniser_, labels_, model_, trees_, asked_}),
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
    if (model_.syntax() != nullptr) facts.emplace_back("syntax", options_.syntax);
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

  // [B]: how far the syntactic attention of a call was from the known trees.
  Variable tree_loss(const models::SyntaxWatch& syntax, const text::PairBatch& batch) const {
    std::vector<const text::Heads*> mine;
    for (const std::uint64_t line : batch.lines) mine.push_back(&trees_.at(line));
    const TreeTargets targets = tree_targets(mine, batch.source);
    return model_.syntax()->loss(syntax.scores, targets.heads, targets.words) *
           static_cast<Real>(options_.trees_weight);
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
      models::SyntaxWatch syntax;
      AttentionLosses::Watch seen;
      attention::Observers watch(
          {call.watch, trees_.empty() ? nullptr : &syntax, asked_.any() ? &seen : nullptr});
      const models::Call watched{.noise = call.noise, .watch = watch.get()};
      const bool warms = model_.selects() && rationale_.warms();
      const std::vector<Variable> logits =
          warms ? model_.judge_kept(input.text, kept_at_random(input.text, noise), watched)
                : model_(input, watched, &mine);
      Variables losses;  // [B] of each aspect, and of what was kept
      Variable total;
      for (std::size_t i = 0; i < logits.size() && !asked_.imitates(); ++i) {
        losses.push_back(cross_entropy(logits[i], classes[i],
                                       {.smoothing = static_cast<Real>(options_.label_smoothing),
                                        .reduction = Reduction::none}) *
                         Variable(counts[i]));
        const Variable lost = sum(losses.back());
        total = total.defined() ? total + lost : lost;
      }
      if (asked_.any()) {
        losses.push_back(asked_(seen, input.text, logits, call.noise));
        total = total.defined() ? total + sum(losses.back()) : sum(losses.back());
      }
      if (!trees_.empty()) {
        losses.push_back(tree_loss(syntax, batch));
        total = total + sum(losses.back());
      }
      if (mine.defined()) {
        const training::RationaleCost cost = rationale_(mine);
        losses.push_back(cost.kept);
        total = total + sum(cost.kept);
        if (cost.expected.defined()) total = total + sum(cost.expected);
        if (call.noise != nullptr) selection = mine;
      }
      return training::SequenceLosses{.total = total,
                                      .each = [losses] { return sum(stack(losses, 0), 0).value(); },
                                      .input = input.text};
    });
    if (selection.defined()) {
      rationale_.update(selection);
    } else if (model_.selects()) {
      rationale_.update_warm();
    }
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
  GoldTrees trees_;
  AttentionLosses asked_;
  ClassifyValidation validation_;
  training::DrawnLoss drawn_;
  training::RationaleLoss rationale_;
};

}  // namespace

std::unique_ptr<TrainingSetup> ClassifyOptions::setup(const Print& print) const {
  return std::make_unique<ClassifySetup>(*this, print);
}

}  // namespace heed::pipeline
