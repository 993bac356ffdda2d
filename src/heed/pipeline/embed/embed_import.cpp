// SPDX-License-Identifier: Apache-2.0
// Sentence embeddings of other programs: BERT, RoBERTa and DistilBERT without a head, and the
// modules that sentence-transformers puts behind them.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/pipeline/embed/embed_options.h"
#include "heed/pipeline/foreign/stack_recipes.h"

namespace heed::pipeline {
namespace {

// What becomes of the states. As nothing says otherwise: their mean, of length 1.
struct Modules {
  models::Summary pooling = models::Summary::mean;
  bool normalised = true;
  std::optional<std::int64_t> longest{};  // tokens, those around a text included
};

ForeignConfig config_in(const ForeignFolder& folder, const std::string& file) {
  if (!folder.has(file)) {
    throw DataError("{}: it is missing, and modules.json names its folder",
                    (folder.path / file).string());
  }
  return ForeignConfig(folder.path / file);
}

models::Summary pooling_of(const ForeignConfig& config) {
  using models::Summary;
  constexpr std::pair<const char*, Summary> kRules[] = {
      {"pooling_mode_cls_token", Summary::first},
      {"pooling_mode_mean_tokens", Summary::mean},
      {"pooling_mode_max_tokens", Summary::maximum},
      {"pooling_mode_mean_sqrt_len_tokens", Summary::root},
      {"pooling_mode_lasttoken", Summary::last}};
  std::vector<Summary> rules;
  for (const auto& [key, rule] : kRules) {
    if (config.truth(key, false)) rules.push_back(rule);
  }
  config.require("pooling_mode_weightedmean_tokens", false, "tokens count alike");
  config.require("include_prompt", true, "every token counts");
  if (rules.size() != 1) {
    config.root().fail(
        "{} rules of pooling; Heed pools by one: cls, mean, max, mean_sqrt_len or "
        "lasttoken",
        rules.size());
  }
  return rules.front();
}

// modules.json: a list of modules, each with its type and its folder.
Modules modules_of(const ForeignFolder& folder) {
  Modules modules;
  if (folder.has("sentence_bert_config.json")) {
    modules.longest =
        ForeignConfig(folder.path / "sentence_bert_config.json").token("max_seq_length");
  }
  if (!folder.has("modules.json")) {
    if (folder.has("1_Pooling/config.json")) {
      modules.pooling = pooling_of(config_in(folder, "1_Pooling/config.json"));
    }
    return modules;
  }
  const std::string path = (folder.path / "modules.json").string();
  const Json json = Json::parse(read_file(path), path);
  const JsonPlace root(json, path);
  modules.normalised = false;
  bool pooled = false;
  for (std::size_t i = 0; i < root.list().size(); ++i) {
    const JsonPlace module = root.at(i);
    const JsonPlace type = module.at("type");
    const std::string name = type.text().substr(type.text().rfind('.') + 1);
    if (name == "Transformer" && i == 0) {
      const JsonPlace place = module.at("path");
      if (place.text().empty()) continue;
      place.fail("\"{}\"; Heed reads a Transformer that lies in the folder itself", place.text());
    }
    if (name == "Pooling" && !pooled) {
      modules.pooling =
          pooling_of(config_in(folder, plain_name(module.at("path")) + "/config.json"));
      pooled = true;
    } else if (name == "Normalize" && pooled) {
      modules.normalised = true;
    } else {
      type.fail("\"{}\"; Heed reads a Transformer, then Pooling, then Normalize", type.text());
    }
  }
  if (!pooled) root.fail("no module pools the states; Heed reads a Transformer, then Pooling");
  return modules;
}

ImportPlan plan(ForeignFolder& folder) {
  const Modules modules = modules_of(folder);
  strip_family_prefix(folder);
  ImportPlan plan{.recipes = TensorRecipes(folder.weights)};
  ForeignTokens tokens = foreign_tokens(folder, bert_vocabulary(folder));
  const ForeignStack stack = bert_stack(folder, tokens, "encoder", plan.recipes);
  plan.recipes.drop_beginning("pooler.", "a layer over the first token, which vectors are not of");
  for (const char* head : {"cls.", "lm_head.", "vocab_"}) {
    plan.recipes.drop_beginning(head, "the head for masked words");
  }
  plan.family = stack.family;
  plan.options =
      stack.options +
      toml("pooling", models::summary_names().at(static_cast<std::size_t>(modules.pooling))) +
      toml_flag("normalised", modules.normalised);
  if (modules.longest) {
    const std::int64_t frame = tokens.frame.begin.empty() ? 1 : 2;
    plan.options += toml("max-length", std::max<std::int64_t>(*modules.longest - frame, 1));
  } else {
    plan.options += toml("max-length", std::int64_t{0});
  }
  plan.tokens = tokens.size();
  plan.vocabularies[kTokeniserFile] = std::move(tokens.vocabulary);
  return plan;
}

const ListedImporter kListed({.kind = "embed",
                              .architectures = {"BertModel", "RobertaModel", "DistilBertModel"},
                              .plan = plan});
// Models of masked words have states, too.
const ListedImporter kListedWithHeads({.kind = "embed",
                                       .architectures = {"BertForMaskedLM", "RobertaForMaskedLM",
                                                         "DistilBertForMaskedLM"},
                                       .plan = plan,
                                       .asked = true});

}  // namespace
}  // namespace heed::pipeline
