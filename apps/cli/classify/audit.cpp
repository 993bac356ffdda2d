// SPDX-License-Identifier: Apache-2.0
// `heed audit`: whether the attention of a classifier may be shown as an explanation, question by
// question.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "cli/classify/audit_page.h"
#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/random.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/pipeline/classify/audited_texts.h"
#include "heed/pipeline/classify/classify_quality.h"

namespace heed::cli {
namespace {

// What the papers did, as far as options say it.
struct Paper {
  const char* name;
  std::vector<std::string> methods;
  double epsilon;
  std::int64_t permutations, random_orders;
  const char* says;
};
const std::vector<Paper>& papers() {
  static const std::vector<Paper> all = {
      {"jw2019",
       {"gradient_input", "leave_one_out"},
       .01,
       100,
       5,
       "Jain & Wallace 2019: tau with gradient and leave-one-out, 100 shuffles, adversary within "
       ".01"},
      {"ss2019",
       {"gradient_input", "attention_gradient"},
       .01,
       100,
       5,
       "Serrano & Smith 2019: words lose their weight, the rest is scaled up; 5 random orders"},
      {"wp2019",
       {"leave_one_out"},
       .01,
       100,
       5,
       "Wiegreffe & Pinter 2019: Jensen-Shannon beside models of other seeds, which --beside "
       "names"},
      {"mk2020",
       {"integrated_gradients", "gradient_input"},
       .01,
       100,
       5,
       "Mohankumar 2020: conicity by the signed cosine, tau with gradient and integrated "
       "gradients"}};
  return all;
}
std::vector<std::string> paper_names() {
  std::vector<std::string> names = {"none"};
  for (const Paper& paper : papers()) names.emplace_back(paper.name);
  return names;
}

struct AuditVerb {
  std::string model;
  std::string data;
  std::string evidence;
  std::vector<std::string> beside;
  std::string aspect;
  std::vector<std::string> methods = {"gradient_input", "leave_one_out"};
  std::string paper = "none";
  std::string out;
  double budget = 0;
  std::int64_t texts = 0;
  std::int64_t drawn = 3;
  int threads = 0;
  bool as_json = false;
  text::LabelledOptions labelled;
  explain::AuditOptions options;
  OutputFiles files;
  Options list;

  AuditVerb() {
    list.add("model", model, "model folder that heed train classify wrote")
        .letter('m')
        .kind("FOLDER")
        .required();
    list.add("data", data, "labelled texts that it is asked about").kind("FILE").required();
    labelled.declare(list, "of these, as in training unless it is said here");
    list.add("evidence", evidence,
             "the words that decide: a line for each text, their numbers from 0, tabs between "
             "aspects")
        .kind("FILE");
    list.add("aspect", aspect, "the aspect whose attention is audited; none: the first");
    list.add("method", methods, "explainers that attention is compared with");
    list.add("paper", paper,
             "the conventions of a paper, where nothing else is said: methods, shuffles, epsilon")
        .one_of(paper_names());
    list.add("beside", beside,
             "models of the same training with other seeds: how far apart weights are anyway");
    list.add("texts", texts, "most texts that are read, from the first on; 0: all").at_least(0);
    list.add("budget", budget,
             "minutes to read texts for: as many as they allow, drawn at random; 0: all")
        .at_least(0);
    list.add("out", out, "write a report as one page that opens in any browser").kind("FILE");
    list.add("drawn", drawn, "texts of best and of worst agreement that the page draws")
        .range(0, 100);
    options.declare(list);
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    list.add("json", as_json, "write JSON");
    files.declare(list);
  }

  // Returns what the paper says of itself.
  std::string apply_paper() {
    for (const Paper& one : papers()) {
      if (paper != one.name) continue;
      if (!list.is_set("method")) methods = one.methods;
      if (!list.is_set("epsilon")) options.epsilon = one.epsilon;
      if (!list.is_set("permutations")) options.permutations = one.permutations;
      if (!list.is_set("random-orders")) options.random_orders = one.random_orders;
      return one.says;
    }
    return {};
  }
};

struct Texts {
  std::vector<text::LabelledText> texts;
  std::vector<pipeline::Evidence> evidence;

  void shuffle(std::uint64_t seed) {
    std::vector<std::size_t> order(texts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    Random random(seed);
    random.shuffle(order);
    Texts drawn;
    for (const std::size_t place : order) {
      drawn.texts.push_back(std::move(texts[place]));
      if (!evidence.empty()) drawn.evidence.push_back(std::move(evidence[place]));
    }
    *this = std::move(drawn);
  }
};

Texts read_texts(const AuditVerb& verb, const pipeline::Classifier& classifier) {
  Texts all{.texts = pipeline::read_labelled(verb.data, classifier.form(verb.data, verb.labelled),
                                             classifier.labels()),
            .evidence = {}};
  if (!verb.evidence.empty()) {
    all.evidence = pipeline::read_evidence(verb.evidence, all.texts, verb.data);
  }
  if (verb.texts > 0 && static_cast<std::int64_t>(all.texts.size()) > verb.texts) {
    all.texts.resize(static_cast<std::size_t>(verb.texts));
    if (!all.evidence.empty()) all.evidence.resize(all.texts.size());
  }
  return all;
}

// Of the texts where the first explainer agrees least, and most.
std::vector<AuditExample> examples(const AuditReport& report, const pipeline::AuditedTexts& audited,
                                   std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < report.audit.each.size(); ++i) {
    if (!std::isnan(report.audit.each[i].tau)) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return report.audit.each[i].tau; });
  std::vector<AuditExample> all;
  const auto add = [&](std::size_t place, const char* which) {
    const explain::AuditOfText& one = report.audit.each[place];
    const explain::AuditedAttention& text = audited.texts[place];
    AuditExample& mine = all.emplace_back(AuditExample{
        .heading = fmt::format("The order agrees {}: tau {:+.2f}", which, one.tau),
        .answer =
            fmt::format("{} = {}, probability {:.3f}", report.aspect,
                        report.classes[static_cast<std::size_t>(one.answer)], one.probability),
        .weights = text.weights,
        .other = text.others.front()});
    mine.words = audited.words[place];
  };
  const std::size_t each = std::min(count, order.size() / 2);
  for (std::size_t i = 0; i < each; ++i) add(order[i], "least");
  for (std::size_t i = 0; i < each; ++i) add(order[order.size() - 1 - i], "most");
  return all;
}

void run(AuditVerb& verb) {
  for (const auto& [name, value] : {std::pair("model", &verb.model), {"data", &verb.data}}) {
    if (value->empty()) throw UsageError("--{}: it is needed; see heed audit --help", name);
  }
  if (verb.threads > 0) set_threads(verb.threads);
  verb.files.reads({verb.data, verb.evidence});
  verb.files.check(verb.out);
  AuditReport report{.model = verb.model, .data = verb.data};
  report.conventions = verb.apply_paper();
  const pipeline::Classifier classifier(verb.model);
  Texts texts = read_texts(verb, classifier);
  const std::size_t aspect = classifier.aspect_called(verb.aspect);
  report.aspect = classifier.labels().aspects()[aspect].name;
  report.classes = classifier.labels().aspects()[aspect].classes;
  report.texts_given = texts.texts.size();
  report.epsilon = verb.options.epsilon;
  report.seed = verb.options.seed;
  if (verb.budget > 0) texts.shuffle(verb.options.seed);

  Progress progress({.what = "audit", .total = texts.texts.size()});
  std::uint64_t count = 0;
  const auto start = std::chrono::steady_clock::now();
  const auto over = [&] {
    const std::chrono::duration<double, std::ratio<60>> passed =
        std::chrono::steady_clock::now() - start;
    return verb.budget > 0 && count > 0 && passed.count() >= verb.budget;
  };
  const pipeline::AuditedTexts audited =
      pipeline::audited_texts(classifier, texts.texts,
                              {.aspect = aspect,
                               .explainers = verb.methods,
                               .evidence = texts.evidence,
                               .seed = verb.options.seed,
                               .enough = over,
                               .done = [&] { progress.update(++count); }});
  progress.clear();
  report.texts_read = audited.read;
  report.passed_over = audited.passed_over;
  report.audit = explain::audit_attention(audited.texts, audited.others, verb.options);
  const std::span<const text::LabelledText> read(texts.texts.data(), audited.read);
  report.conicity = pipeline::audited_conicity(classifier, read);
  for (const std::string& folder : verb.beside) {
    report.beside.push_back(
        pipeline::compared_beside(classifier, pipeline::Classifier(folder), read, aspect));
    report.beside.back().name = folder;
  }
  if (!verb.methods.empty()) {
    report.examples = examples(report, audited, static_cast<std::size_t>(verb.drawn));
  }
  if (!verb.out.empty()) verb.files.write(verb.out, audit_page(report));
  fmt::print("{}", verb.as_json ? audit_json(report) + "\n" : audit_text(report));
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
         "2019), erases words in several orders until the answer changes (Serrano & Smith 2019), "
         "and takes them out of the text (DeYoung 2020). Each stands beside a random control. For "
         "classifiers whose score is linear in one look at the words.",
     .example =
         "heed audit --model model --data data/test.tsv --out report.html\n"
         "heed audit --model model --data data/test.tsv --evidence data/test.evidence --budget 5 "
         "--paper jw2019 --out report.html\n"
         "heed audit --model model --data data/test.tsv --aspect service --texts 200 --method "
         "leave_one_out \"shapley(samples=50)\" --json",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
