// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a classifier's options.
#include "heed/pipeline/classify/classify_options.h"

#include "heed/base/error.h"
#include "heed/models/syntactic_attention.h"

namespace heed::pipeline {
namespace {

void declare_labelled_data(ClassifyOptions& mine, Options& options) {
  options.section("Data");
  options
      .add("train", mine.train,
           "training texts with their labels: a table, JSON lines or plain lines (or gz)")
      .kind("FILE")
      .required();
  options.add("valid", mine.valid, "validation texts, likewise").kind("FILE");
  options
      .add("valid-fraction", mine.valid_fraction,
           "without a validation file: the share of training lines held out as one")
      .at_least(0)
      .below(1);
  options
      .add("fold", mine.fold,
           "which part of that size is held out, from 0; --folds goes through them")
      .at_least(0);
  mine.labelled.declare(options, "of both");
  options.add("aspects", mine.aspects,
              "names of what is classified; tables and jsonl: a label for each");
  options.add("second", mine.second,
              "tables and jsonl: there is a second text, a question or a hypothesis");
  options.add("documents", mine.documents,
              "read a text as sentences of words, with an attention over each (Yang 2016)");
  mine.declare_stream(options);
}

void declare_reading(ClassifyOptions& mine, Options& options) {
  options.section("Attention and pooling");
  options.add("attention", mine.attention,
              "the mechanism that reads the states, in its written form, such as \"additive | full "
              "| sparsemax\"; none: --pooling instead");
  options.add("pooling", mine.pooling, models::summary_names(),
              "without attention: how all states are pooled");
  options.add("query", mine.query, models::pooling_query_names(),
              "the query: a learned vector for each aspect, or a token put before the text");
  options.add("keys", mine.keys, models::pooling_keys_names(),
              "what decides how much a word is attended to: its state, which knows its neighbours, "
              "or the word alone");
  options.add("matching", mine.matching, models::matching_names(),
              "a second text: its summary is the query; its words are compared one by one with "
              "what they find; or both are read as one text, told apart by --segments 2");
  options.add("hops", mine.hops, "how often the second text's query reads the first").range(1, 100);
  options.add("joints", mine.joints, "texts that are joined: how many </s> stand between them")
      .range(1, 16);
  options.add("head", mine.head, nn::activation_names(),
              "a layer of as many features between what was read and the classes, with this "
              "activation (BERT's pooler: tanh); none: there is no such layer");
}

void declare_syntax(ClassifyOptions& mine, Options& options) {
  options.section("Syntax");
  options.add("syntax", mine.syntax,
              "let every word read the word it hangs on, by an attention of the text over itself "
              "such as \"bilinear | full | tree\" (Kim 2017), before all is pooled; empty: none");
  options
      .add("trees", mine.trees,
           "known trees to learn --syntax from: a line for each training text, the head of each of "
           "its words, from 1; 0: the root")
      .kind("FILE");
  options.add("valid-trees", mine.valid_trees, "those of the validation texts, likewise")
      .kind("FILE");
  options
      .add("trees-weight", mine.trees_weight,
           "how much the trees of a text count beside its labels")
      .at_least(0);
}

void declare_rationale(ClassifyOptions& mine, Options& options) {
  options.section("Rationale");
  options.add(
      "rationale", mine.rationale.gate,
      "keep some words and classify by those alone: bernoulli, hard_kuma, hard_concrete, or "
      "a normaliser of rows with zeros, such as sparsemax or "
      "\"sparse_chain(coupling=0.1)\"; the encoder is that of the generator, which "
      "chooses them; --early-stopping is cost unless you say otherwise");
  options.add("predictor", mine.rationale.predictor, models::text_encoder_names(),
              "what reads the words that are kept; not transformer");
  options
      .add("predictor-hidden", mine.rationale.hidden, "units between these words and the classes")
      .range(1, 1 << 16);
  mine.rationale_loss.declare(options);
  options
      .add("outsider-updates", mine.outsider_updates,
           "when training has ended, updates of an outsider who learns from words kept at random "
           "and then reads the rationales, which shows a private code; 0: none")
      .range(0, 1'000'000);
}

}  // namespace

ClassifyOptions::ClassifyOptions() {
  too_long = text::TooLong::crop;
  vocabulary.tokeniser = text::TokeniserKind::words;
  vocabulary.size = 20'000;
  trainer.early_stopping = "accuracy";
  trainer.schedule.decay = training::Decay::constant;
  declare_run(classify_presets());
  declare_labelled_data(*this, list);
  vocabulary.declare(list);
  declare_encoder(list);
  declare_reading(*this, list);
  declare_syntax(*this, list);
  declare_rationale(*this, list);
  list.section("Loss and validation");
  list.add("class-weights", class_weights,
           "weights of the classes in the loss: none, balanced (each class counts as much as "
           "another), or such as \"bad=2,good=1\"");
  list.add("label-smoothing", label_smoothing, "share of the target spread over all classes")
      .at_least(0)
      .below(1);
  list.add(
          "threshold-accuracy", threshold_accuracy,
          "the threshold that is chosen when training has ended is the lowest whose predictions on "
          "validation are right this often")
      .above(0)
      .at_most(1);
  list.add("samples", samples, "validation texts shown with the labels found").range(0, 1000);
  trainer.declare(list);
  draw.declare(list);
}

void ClassifyOptions::apply_preset() {
  fill_in_encoder(*this);
  pipeline::apply_preset(*this, classify_presets());
  // The model that is most often right would be the one that keeps most words.
  const Option& metric = *list.find("early-stopping");
  if (!rationale.gate.empty() && metric.value_text() == metric.default_text()) {
    trainer.early_stopping = "cost";
  }
}

void ClassifyOptions::check() const {
  check_run();
  if (train.empty()) throw UsageError("--train: say which file has the training texts");
  if (valid_fraction > 0 && !valid.empty()) {
    throw UsageError("validation data: give --valid or --valid-fraction, not both");
  }
  if ((labelled.format == text::LabelledFormat::labelled ||
       labelled.format == text::LabelledFormat::trees) &&
      (second || aspects.size() > 1)) {
    throw UsageError(
        "--format: only tsv, csv and jsonl have room for a second text or for several aspects");
  }
  if (too_long == text::TooLong::split) {
    throw UsageError(
        "--too-long split: a part of a text need not have the label of the whole; choose crop, "
        "skip or fail");
  }
  if (matching == models::Matching::words && !second) {
    throw UsageError("--matching words: it compares a second text; give --second as well");
  }
  if (matching == models::Matching::joined && !second) {
    throw UsageError("--matching joined: it reads a second text behind the first; give --second");
  }
  if (keys == models::PoolingKeys::words && attention == "none") {
    throw UsageError(
        "--keys words: keys are of attention, and --attention is none; name a "
        "mechanism, or leave --keys out");
  }
  check_rationale();
  check_syntax();
  room().check(max_length);
}

void ClassifyOptions::check_rationale() const {
  rationale_loss.target();
  if (rationale.gate.empty()) return;
  const Option& mechanism = *list.find("attention");
  if (attention != "none" && mechanism.value_text() != mechanism.default_text()) {
    throw UsageError(
        "--attention {}: with --rationale the words that are kept are read without attention; "
        "leave one of the two out",
        attention);
  }
  if (second || documents || query == models::PoolingQuery::token) {
    throw UsageError("--rationale: it is of one text; leave out --{}", second      ? "second"
                                                                       : documents ? "documents"
                                                                                   : "query token");
  }
  if (rationale.predictor == models::TextEncoderKind::transformer) {
    throw UsageError("--predictor transformer: give bag, cnn or rnn");
  }
  if (!init_from.empty()) {
    throw UsageError(
        "--init-from: with --rationale there are two encoders, and neither takes another model's; "
        "leave one of the two out");
  }
}

void ClassifyOptions::check_syntax() const {
  if (syntax.empty()) {
    const bool has_trees = !trees.empty() || !valid_trees.empty();
    if (!has_trees) return;
    throw UsageError(
        "--{}: trees are what --syntax learns; name a mechanism, such as --syntax \"bilinear | "
        "full "
        "| tree\", or leave the trees out",
        trees.empty() ? "valid-trees" : "trees");
  }
  if (documents || query == models::PoolingQuery::token || !rationale.gate.empty()) {
    throw UsageError("--syntax: it is of whole texts; leave out --{}", documents ? "documents"
                                                                       : rationale.gate.empty()
                                                                           ? "query token"
                                                                           : "rationale");
  }
  if (!trees.empty()) models::check_trees(syntax);
  if (!trees.empty() && labelled.format == text::LabelledFormat::trees) {
    throw UsageError(
        "--trees: with --format trees every phrase is a text of its own, and one line of heads "
        "cannot belong to all of them; give labelled lines or a table");
  }
  if (!valid_trees.empty() && valid.empty()) {
    throw UsageError(
        "--valid-trees: there is no --valid that they belong to; texts held out from training have "
        "the trees of --trees");
  }
}

text::LabelledForm ClassifyOptions::form(const std::string& file) const {
  return text::labelled_form(file, labelled,
                             {.aspects = aspects, .second = second, .phrases = file == train});
}

text::TextShape ClassifyOptions::shape() const {
  if (documents) return text::TextShape::document;
  return begin_token ? text::TextShape::framed : text::TextShape::line;
}

PositionLimit ClassifyOptions::room() const {
  return {.places = places(),
          .front = query == models::PoolingQuery::token ? 1 : 0,
          .shape = shape(),
          .joints = second && matching == models::Matching::joined ? joints : 0};
}

models::ClassifierOptions ClassifyOptions::model(std::int64_t vocabulary_size,
                                                 const text::Labels& labels) const {
  models::ClassifierOptions made{.encoder = to_options(vocabulary_size),
                                 .classes = {},
                                 .attention = rationale.gate.empty() ? attention : "none",
                                 .summary = pooling,
                                 .query = query,
                                 .keys = keys,
                                 .second = second,
                                 .matching = matching,
                                 .hops = hops,
                                 .joints = joints,
                                 .head = head,
                                 .documents = documents,
                                 .syntax = syntax,
                                 .rationale = rationale,
                                 .dropout = static_cast<Real>(stack.dropout),
                                 .attention_dropout = static_cast<Real>(stack.attention_dropout)};
  made.rationale.first_rate = rationale_loss.target().value_or(rationale.first_rate);
  for (const text::Aspect& aspect : labels.aspects()) {
    made.classes.push_back(static_cast<std::int64_t>(aspect.classes.size()));
  }
  return made;
}

}  // namespace heed::pipeline
