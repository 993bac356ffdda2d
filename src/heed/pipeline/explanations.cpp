// SPDX-License-Identifier: Apache-2.0
// Every explainer asked about every step.
#include "heed/pipeline/explanations.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/insight/trace/signed_set.h"

namespace heed::pipeline {
namespace {

using nlohmann::ordered_json;

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

ordered_json json_of(const explain::Explanation& one) {
  if (!one.undefined.empty()) return {{"undefined", one.undefined}};
  ordered_json object = {{"shares", one.shares}};
  if (!one.errors.empty()) object["standard_errors"] = one.errors;
  if (!one.note.empty()) object["note"] = one.note;
  return object;
}

// A subject that counts what is read of it.
class LimitedSubject final : public explain::Subject {
 public:
  LimitedSubject(const explain::Subject& inner, std::size_t most, const std::string& method)
      : inner_(inner), left_(most), most_(most), method_(method) {}

  std::size_t size() const override { return inner_.size(); }
  std::vector<double> outputs(std::span<const explain::Kept> copies,
                              explain::Removal removal) const override {
    count(copies.size());
    return inner_.outputs(copies, removal);
  }
  bool removes(explain::Removal removal) const override { return inner_.removes(removal); }
  bool has_vectors() const override { return inner_.has_vectors(); }
  explain::Vectors vectors() const override { return inner_.vectors(); }
  std::vector<double> outputs_at(std::span<const explain::Vectors> copies) const override {
    count(copies.size());
    return inner_.outputs_at(copies);
  }
  std::vector<explain::Vectors> gradients_at(
      std::span<const explain::Vectors> copies) const override {
    count(copies.size());
    return inner_.gradients_at(copies);
  }
  bool attends() const override { return inner_.attends(); }
  std::vector<double> attention() const override { return inner_.attention(); }
  bool has_attention_gradients() const override { return inner_.has_attention_gradients(); }
  std::vector<double> attention_gradients() const override { return inner_.attention_gradients(); }
  bool has_looks() const override { return inner_.has_looks(); }
  explain::Looks looks() const override { return inner_.looks(); }

 private:
  void count(std::size_t copies) const {
    const std::size_t words = copies * std::max<std::size_t>(size(), 1);
    if (words > left_) {
      throw UsageError(
          "explain: {} would have the model read more than {} words; ask for fewer samples, or for "
          "a shorter text",
          method_, most_);
    }
    left_ -= words;
  }

  const explain::Subject& inner_;
  mutable std::size_t left_;
  std::size_t most_;
  const std::string& method_;
};

ordered_json json_of(const Explanations::Step& step) {
  return {{"target", step.target}, {"probability", step.probability}, {"output", step.output}};
}

}  // namespace

std::vector<std::string> suitable_explainers(const explain::Subject& subject) {
  std::vector<std::string> suitable;
  for (const char* name : {"leave_one_out", "shapley", "integrated_gradients", "gradient_input",
                           "attention", "attention_gradient", "rollout", "relevance"}) {
    if (!explain::make_explainer(name)->suits(subject)) continue;
    // Without layers to follow these two are the attention again.
    const std::string written = name;
    if ((written == "rollout" || written == "relevance") && subject.looks().layers.empty())
      continue;
    suitable.push_back(written);
  }
  return suitable;
}

std::vector<std::string> quick_explainers(const explain::Subject& subject) {
  std::vector<std::string> quick = suitable_explainers(subject);
  std::erase(quick, "shapley");
  return quick;
}

Explanations explanations(const Model& model, const Input& input, const ExplainCall& call) {
  std::vector<Explained> all;
  all.push_back(model.explained(input, call.target));
  if (call.target.label.empty() && all.front().steps.size() > 1) {
    for (std::size_t step = 1; step < all.front().steps.size(); ++step) {
      all.push_back(all.front().at(step));
    }
  }
  Explanations found{.words = all.front().words, .pieces = all.front().steps};
  for (const Explained& one : all) {
    found.steps.push_back({one.target, one.probability, one.subject->output()});
  }
  const std::vector<std::string> methods = !call.methods.empty() ? call.methods
                                           : call.most_words == 0
                                               ? suitable_explainers(*all.front().subject)
                                               : quick_explainers(*all.front().subject);
  for (const std::string& written : methods) {
    const std::unique_ptr<explain::Explainer> explainer = explain::make_explainer(written);
    Explanations::Method& method = found.methods.emplace_back();
    method.written = written;
    for (const Explained& one : all) {
      if (call.most_words == 0) {
        method.steps.push_back(explainer->explain(*one.subject));
      } else {
        const LimitedSubject limited(*one.subject, call.most_words, written);
        method.steps.push_back(explainer->explain(limited));
      }
    }
  }
  return found;
}

std::vector<Agreement> agreements(const Explanations& explanations) {
  std::vector<std::vector<double>> shares;
  for (const Explanations::Method& method : explanations.methods) {
    std::vector<double>& mine = shares.emplace_back();
    for (const explain::Explanation& step : method.steps) {
      if (!step.undefined.empty()) {
        mine.clear();
        break;
      }
      mine.insert(mine.end(), step.shares.begin(), step.shares.end());
    }
  }
  std::vector<Agreement> all;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      all.push_back({j, i, {}});
      if (!shares[i].empty() && !shares[j].empty()) {
        all.back().found = metrics::kendall(shares[j], shares[i]);
      }
    }
  }
  return all;
}

std::string explanations_json(const Explanations& explanations) {
  ordered_json object =
      explanations.written() ? ordered_json::object() : json_of(explanations.steps.front());
  object["words"] = explanations.words;
  if (!explanations.pieces.empty()) object["pieces"] = explanations.pieces;
  if (explanations.written()) {
    object["steps"] = ordered_json::array();
    for (const Explanations::Step& step : explanations.steps) {
      object["steps"].push_back(json_of(step));
    }
  }
  object["methods"] = ordered_json::array();
  for (const Explanations::Method& method : explanations.methods) {
    ordered_json mine = {{"method", method.written}};
    if (explanations.written()) {
      mine["steps"] = ordered_json::array();
      for (const explain::Explanation& step : method.steps) mine["steps"].push_back(json_of(step));
    } else {
      mine.update(json_of(method.steps.front()));
    }
    object["methods"].push_back(std::move(mine));
  }
  object["agreement"] = ordered_json::array();
  for (const Agreement& one : agreements(explanations)) {
    object["agreement"].push_back(
        {{"first", explanations.methods[one.first].written},
         {"second", explanations.methods[one.second].written},
         {"tau", one.found ? ordered_json(one.found->tau) : ordered_json()},
         {"p", one.found ? ordered_json(one.found->p) : ordered_json()}});
  }
  return dumped(object);
}

insight::TracedExample traced(const Explanations& explanations, const std::string& title) {
  const std::string answers = explanations.pieces.empty() ? "answer" : "target";
  insight::TracedExample example{.title = title};
  example.strips.push_back({.name = "text", .tokens = explanations.words});
  insight::TokenStrip& steps = example.strips.emplace_back();
  steps.name = answers;
  for (std::size_t i = 0; i < explanations.steps.size(); ++i) {
    steps.tokens.push_back(explanations.written() ? explanations.pieces[i]
                                                  : explanations.steps[i].target);
  }
  const auto width = static_cast<std::int64_t>(explanations.words.size());
  for (const Explanations::Method& method : explanations.methods) {
    Tensor shares =
        Tensor::full({static_cast<std::int64_t>(method.steps.size()), width}, insight::kMasked);
    Real* out = shares.mutable_data();
    for (const explain::Explanation& step : method.steps) {
      for (std::size_t t = 0; t < step.shares.size(); ++t)
        out[t] = static_cast<Real>(step.shares[t]);
      out += width;
    }
    example.attentions.push_back(insight::signed_set(method.written, answers, "text", shares));
  }
  return example;
}

}  // namespace heed::pipeline
