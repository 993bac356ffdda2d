// SPDX-License-Identifier: Apache-2.0
// `heed audit`: whether the attention of a classifier may be shown as an explanation, question by
// question.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/pipeline/classify/audited_texts.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/classify/plausibility.h"

namespace heed::cli {
namespace {

using nlohmann::json;

struct AuditVerb {
  std::string model;
  std::string data;
  std::string aspect;
  std::vector<std::string> methods = {"gradient_input", "leave_one_out"};
  std::string evidence;
  std::int64_t texts = 0;
  int threads = 0;
  bool as_json = false;
  text::LabelledOptions labelled;
  explain::AuditOptions options;
  Options list;

  AuditVerb() {
    list.add("model", model, "model folder that heed train classify wrote")
        .letter('m')
        .kind("FOLDER")
        .required();
    list.add("data", data, "labelled texts that it is asked about").kind("FILE").required();
    labelled.declare(list, "of these, as in training unless it is said here");
    list.add("aspect", aspect, "the aspect whose attention is audited; none: the first");
    list.add("method", methods, "explainers that attention is compared with");
    list.add("evidence", evidence,
             "the words that decide each text's answer, as heed corpus reviews writes them: how "
             "well weights and explainers find them")
        .kind("FILE");
    list.add("texts", texts, "most texts that are read; 0: all").at_least(0);
    options.declare(list);
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    list.add("json", as_json, "write JSON");
  }
};

std::string shown(const explain::AuditMean& mean) {
  if (mean.texts == 0) return fmt::format("undefined ({} texts)", mean.undefined);
  const std::string left =
      mean.undefined > 0 ? fmt::format(", {} undefined", mean.undefined) : std::string();
  return fmt::format("{:+.3f} ± {:.3f} ({} texts{})", mean.mean, mean.deviation, mean.texts, left);
}

json to_json(const explain::AuditMean& mean) {
  return {{"mean", mean.texts > 0 ? json(mean.mean) : json()},
          {"deviation", mean.texts > 0 ? json(mean.deviation) : json()},
          {"texts", mean.texts},
          {"undefined", mean.undefined}};
}

json to_json(const explain::AttentionAudit& audit) {
  json object = {{"texts", audit.texts},
                 {"adversary", to_json(audit.adversary)},
                 {"uniform_keeps", audit.uniform_keeps},
                 {"erase_one",
                  {{"both", audit.both},
                   {"only_top", audit.only_top},
                   {"only_random", audit.only_random},
                   {"neither", audit.neither}}}};
  for (const auto& one : audit.agreements) {
    object["agreement"].push_back(
        {{"with", one.with}, {"tau", to_json(one.tau)}, {"significant", one.significant}});
  }
  for (const auto& one : audit.permutations) {
    object["permutation"].push_back(
        {{"low", one.low}, {"high", one.high}, {"change", to_json(one.change)}});
  }
  for (const auto& one : audit.erasures) {
    object["erasure"].push_back(
        {{"order", one.order}, {"removed", to_json(one.removed)}, {"never", one.never}});
  }
  return object;
}

// What the numbers say, in the order in which a reader would ask.
void print_verdict(const explain::AttentionAudit& audit, double epsilon) {
  fmt::print("Is it needed? With equal weights {:.0f}% of the answers stay: {}.\n",
             100 * audit.uniform_keeps,
             audit.uniform_keeps > .9   ? "hardly"
             : audit.uniform_keeps > .6 ? "in part"
                                        : "yes");
  if (audit.adversary.texts > 0) {
    const double share = audit.adversary.mean / .6931471805599453;
    fmt::print(
        "Is it hard to manipulate? Other weights with the same probability within {} are {:.0f}% "
        "of the farthest there are away, on average: {}.\n",
        epsilon, 100 * share,
        share > .7   ? "no"
        : share > .3 ? "somewhat"
                     : "yes");
  }
  for (std::size_t i = 0; i + 1 < audit.agreements.size(); ++i) {
    const auto& one = audit.agreements[i];
    if (one.tau.texts == 0) continue;
    fmt::print("Does it agree with {}? Kendall's tau is {:.2f} on average: {}.\n", one.with,
               one.tau.mean,
               one.tau.mean > .6   ? "yes"
               : one.tau.mean > .3 ? "somewhat"
                                   : "no");
  }
  const auto& by_attention = audit.erasures[0].removed;
  const auto& by_gradient = audit.erasures[2].removed;
  if (by_attention.texts > 0) {
    fmt::print(
        "Does it find what decides? Erased by attention, {:.0f}% of the words go before the answer "
        "changes; by gradient {:.0f}%, at random {:.0f}%: {}.\n",
        100 * by_attention.mean, 100 * by_gradient.mean, 100 * audit.erasures[1].removed.mean,
        by_attention.mean <= by_gradient.mean + .05 ? "yes"
        : by_attention.mean < audit.erasures[1].removed.mean - .05
            ? "better than chance, worse than the gradient"
            : "no better than chance");
  }
}

void print(const explain::AttentionAudit& audit, std::size_t passed_over, double epsilon) {
  fmt::print("{} texts", audit.texts);
  if (passed_over > 0) fmt::print(", {} without words to attend to passed over", passed_over);
  fmt::print("\n\n");
  print_verdict(audit, epsilon);
  fmt::print("\nagreement of weights with magnitudes (Kendall's tau; share with p <= .05)\n");
  for (const auto& one : audit.agreements) {
    fmt::print("  {:24}{}; {:.2f}\n", one.with, shown(one.tau), one.significant);
  }
  fmt::print("\nshuffled weights: the median move of the probabilities, by the largest weight\n");
  for (const auto& one : audit.permutations) {
    fmt::print("  {:.2f} to {:.2f}            {}\n", one.low, one.high, shown(one.change));
  }
  fmt::print("\nfarthest weights with the same answer within {}: {} of at most 0.693\n", epsilon,
             shown(audit.adversary));
  fmt::print("\nequal weights keep {:.3f} of the answers\n", audit.uniform_keeps);
  fmt::print(
      "\none word erased changes the answer: the top one alone {}, a random one alone {}, either "
      "{}, neither {}\n",
      audit.only_top, audit.only_random, audit.both, audit.neither);
  fmt::print("\nwords erased before the answer changes, as a share of the text\n");
  for (const auto& one : audit.erasures) {
    fmt::print("  {:32}{}; never {:.2f}\n", one.order, shown(one.removed), one.never);
  }
}

// Attention, the explainers it is compared with, and a control.
pipeline::Plausibility plausibility_of(const AuditVerb& verb,
                                       const pipeline::Classifier& classifier,
                                       std::span<const text::LabelledText> texts,
                                       std::span<const pipeline::Evidence> evidence,
                                       std::size_t aspect) {
  std::vector<std::string> methods = {"attention"};
  methods.insert(methods.end(), verb.methods.begin(), verb.methods.end());
  methods.emplace_back("random");
  Progress progress({.what = "evidence", .total = texts.size()});
  std::uint64_t count = 0;
  pipeline::Plausibility found = pipeline::plausibility(classifier, texts, evidence, aspect,
                                                        methods, [&] { progress.update(++count); });
  progress.clear();
  return found;
}

json to_json(const pipeline::Plausibility& found) {
  json object = {
      {"texts", found.texts}, {"base_rate", found.base_rate}, {"methods", json::array()}};
  for (const pipeline::Plausibility::Method& one : found.methods) {
    object["methods"].push_back(
        {{"method", one.written},
         {"pooled", one.texts > 0 ? json(one.pooled) : json()},
         {"average_precision", one.texts > 0 ? json(one.precision) : json()},
         {"deviation", one.texts > 0 ? json(one.deviation) : json()},
         {"texts", one.texts},
         {"undefined", one.undefined}});
  }
  return object;
}

void print(const pipeline::Plausibility& found) {
  fmt::print(
      "\nevidence found: average precision of the words of {} texts together (base rate {:.3f}), "
      "and the mean of texts\n",
      found.texts, found.base_rate);
  for (const pipeline::Plausibility::Method& one : found.methods) {
    if (one.texts == 0) {
      fmt::print("  {:24}undefined ({} texts)\n", one.written, one.undefined);
    } else {
      fmt::print("  {:24}{:.3f}; {:.3f} ± {:.3f}{}\n", one.written, one.pooled, one.precision,
                 one.deviation,
                 one.undefined > 0 ? fmt::format(" ({} undefined)", one.undefined) : "");
    }
  }
}

void run(AuditVerb& verb) {
  for (const auto& [name, value] : {std::pair("model", &verb.model), {"data", &verb.data}}) {
    if (value->empty()) throw UsageError("--{}: it is needed; see heed audit --help", name);
  }
  if (verb.threads > 0) set_threads(verb.threads);
  const pipeline::Classifier classifier(verb.model);
  std::vector<text::LabelledText> texts = pipeline::read_labelled(
      verb.data, classifier.form(verb.data, verb.labelled), classifier.labels());
  std::vector<pipeline::Evidence> evidence;
  if (!verb.evidence.empty()) {
    evidence = pipeline::read_evidence(verb.evidence, texts, verb.data);
  }
  if (verb.texts > 0 && static_cast<std::int64_t>(texts.size()) > verb.texts) {
    texts.resize(static_cast<std::size_t>(verb.texts));
    if (!evidence.empty()) evidence.resize(texts.size());
  }
  const std::size_t aspect = classifier.aspect_called(verb.aspect);
  Progress progress({.what = "audit", .total = texts.size()});
  std::uint64_t count = 0;
  const pipeline::AuditedTexts audited = pipeline::audited_texts(
      classifier, texts, aspect, verb.methods, [&] { progress.update(++count); });
  progress.clear();
  const explain::AttentionAudit audit =
      explain::audit_attention(audited.texts, audited.others, verb.options);
  json object = to_json(audit);
  object["passed_over"] = audited.passed_over;
  if (!verb.as_json) print(audit, audited.passed_over, verb.options.epsilon);
  if (!evidence.empty()) {
    const pipeline::Plausibility found = plausibility_of(verb, classifier, texts, evidence, aspect);
    object["evidence"] = to_json(found);
    if (!verb.as_json) print(found);
  }
  if (verb.as_json) fmt::print("{}\n", object.dump());
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<AuditVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "audit",
     .summary = "Ask whether the attention of a classifier may be shown as an explanation",
     .description =
         "Compares the weights with other explanations, shuffles them, makes them equal, lets an "
         "exact adversary put others in their place that leave the answer as it is (Jain & Wallace "
         "2019), and erases words in several orders until the answer changes (Serrano & Smith "
         "2019). Each stands beside a random control. For classifiers whose score is linear in one "
         "look at the words.",
     .example =
         "heed audit --model model --data data/test.tsv\n"
         "heed audit --model model --data data/test.tsv --aspect service --texts 200 --method "
         "leave_one_out \"shapley(samples=50)\" --json",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
