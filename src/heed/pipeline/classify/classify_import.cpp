// SPDX-License-Identifier: Apache-2.0
// Classifiers of other programs: BERT, RoBERTa and DistilBERT, which read the first token through a
// layer of their own.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/models/classifier.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/foreign/stack_recipes.h"

namespace heed::pipeline {
namespace {

// The layer between the first token and the classes, and the one to these.
struct HeadNames {
  const char *dense, *output;
  Activation activation;
  int joints;  // ends between the texts of a pair
};

HeadNames head_of(const std::string& family) {
  if (family == "RoBERTa") return {"classifier.dense", "classifier.out_proj", Activation::tanh, 2};
  if (family == "DistilBERT") return {"pre_classifier", "classifier", Activation::relu, 1};
  return {"pooler.dense", "classifier", Activation::tanh, 1};
}

// Heed's classes come in the order of their names.
std::vector<std::size_t> by_name(const std::vector<std::string>& labels) {
  std::vector<std::size_t> order(labels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return labels[i]; });
  return order;
}

ImportPlan plan(ForeignFolder& folder) {
  folder.config.require_text("problem_type", "single_label_classification",
                             "a text has one of the classes");
  const std::vector<std::string> names = folder.config.labels();
  const std::vector<std::size_t> order = by_name(names);
  strip_family_prefix(folder);
  ImportPlan plan{.recipes = TensorRecipes(folder.weights)};
  ForeignTokens tokens = foreign_tokens(folder, bert_vocabulary(folder));
  if (tokens.frame.begin.empty()) {
    throw DataError(
        "{}: the vocabulary puts nothing in front of a text, and the classes are read from what "
        "stands there; it takes a template with [CLS] or <s>",
        folder.path.string());
  }
  const ForeignStack stack = bert_stack(folder, tokens, "encoder", plan.recipes);
  const HeadNames head = head_of(stack.family);
  plan.recipes.take_linear("head", head.dense, stack.width, stack.width);
  plan.recipes.take_ordered_linear("aspects.0.output", head.output, stack.width, order);
  if (stack.family == "RoBERTa") {
    plan.recipes.drop_beginning("pooler.", "a layer over the first token, which this head has not");
  }
  plan.family = stack.family;
  plan.options =
      stack.options + toml("attention", std::string("none")) +
      toml("pooling",
           models::summary_names().at(static_cast<std::size_t>(models::Summary::first))) +
      toml("head", nn::activation_names().at(static_cast<std::size_t>(head.activation)));
  if (folder.second) {
    const auto rule = static_cast<std::size_t>(models::Matching::joined);
    plan.options += toml_flag("second", true) +
                    toml("matching", models::matching_names().at(rule)) +
                    toml("joints", static_cast<std::int64_t>(head.joints));
  }
  plan.tokens = tokens.size();
  plan.vocabularies[kTokeniserFile] = std::move(tokens.vocabulary);
  const std::string aspect = ClassifyOptions().aspects.front();
  for (const std::size_t i : order) {
    plan.texts[kLabelsFile] += fmt::format("{}\t{}\t0\n", aspect, names[i]);
  }
  plan.parameters = [names, aspect, size = plan.tokens](const KindOptions& made) {
    text::Labels labels{std::span(&aspect, 1)};
    for (const std::string& name : names) labels.add(std::span(&name, 1));
    Random random(0);
    models::Classifier model(dynamic_cast<const ClassifyOptions&>(made).model(size, labels),
                             random);
    return nn::parameters(model);
  };
  return plan;
}

const ListedImporter kListed({.kind = "classify",
                              .architectures = {"BertForSequenceClassification",
                                                "RobertaForSequenceClassification",
                                                "DistilBertForSequenceClassification"},
                              .plan = plan,
                              .pairs = true});

}  // namespace
}  // namespace heed::pipeline
