// SPDX-License-Identifier: Apache-2.0
// The mechanism is built, given what the data ask for besides, run, and its results collected.
#include "attend/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "heed/attention/compose/given.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/multi_head.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::attend {
namespace {

using Leaves = std::vector<nn::Parameter>;

bool names(const attention::PatternSpec& pattern, std::string_view part) {
  if (pattern.kind == attention::PatternSpec::Kind::part) return pattern.part.name == part;
  return std::ranges::any_of(pattern.patterns,
                             [&](const auto& inner) { return names(inner, part); });
}

// The mechanism as written, together with what the data ask for: a mask, lengths and segments
// restrict the pattern, a float mask is the last bias.
attention::Spec with_data(attention::Spec spec, const Question& question) {
  using attention::Given;
  const auto read = [&](Given given, bool is_given) {
    if (is_given) spec = attention::with_reader(std::move(spec), given);
  };
  read(Given::mask, question.given.mask.defined());
  read(Given::lengths, question.key_data.lengths.defined());
  read(Given::segments, question.key_data.segments.defined());
  read(Given::bias, question.given.bias.defined());
  return spec;
}

// What a part of the mechanism needs of the file, said by the names of the file.
void check_needs(const AttendTensors& input, const attention::Spec& spec,
                 const Question& question) {
  const auto need = [&](const char* part, bool found, const char* tensor) {
    if (found) return;
    input.refuse_missing(
        fmt::format("no tensor {}; \"{}\" in the mechanism needs it", tensor, part));
  };
  for (const attention::HeadsSpec& group : spec.groups) {
    const attention::PatternSpec& pattern = group.mechanism.pattern;
    if (names(pattern, "segments")) {
      need("segments", question.key_data.segments.defined(), "query_segments, key_segments");
    }
    if (names(pattern, "tensor")) need("tensor", question.given.mask.defined(), "mask");
  }
}

// The file's values for the parts' parameters; those it lacks keep their first values with --init.
void load_parameters(AttendTensors& input, Leaves& parameters, bool may_miss) {
  std::vector<std::string> missing;
  for (nn::Parameter& parameter : parameters) {
    const Tensor value = input.tensor(parameter.name);
    const Shape& shape = parameter.variable.shape();
    if (!value.defined()) {
      missing.push_back(fmt::format("{} {}", parameter.name, shape.text()));
    } else if (value.shape() != shape) {
      throw UsageError("{}: {} is {}; it takes {}", input.name(), parameter.name,
                       value.shape().text(), shape.text());
    } else {
      parameter.variable.mutable_value().assign(value);
    }
  }
  if (!missing.empty() && !may_miss) {
    input.refuse_missing(
        fmt::format("no tensor {}; --init SEED draws what is missing", join(missing, ", ")));
  }
}

// [B,H,Q,...] in the rank of the input.
Variable in_rank(const Variable& x, const Question& question) {
  if (question.rank == 4 || question.heads.given || !x.defined()) return x;
  std::vector<std::int64_t> sizes(x.shape().begin(), x.shape().end());
  sizes.erase(sizes.begin(), sizes.begin() + (question.rank == 2 ? 2 : 0));
  if (question.rank == 3) sizes.erase(sizes.begin() + 1);
  return reshape(x, Shape(std::span(sizes)));
}

// [B,H,Q,Dv]; of split inputs merged again, [B,Q,H*Dv], and through W_O.
Variable context_of(const Variable& context, const Question& question) {
  if (question.rank == 4) return context;
  Variable merged = attention::merge_heads(context);
  if (question.w_o.defined()) merged = linear(merged, question.w_o, Variable());
  return question.rank == 3 ? merged : reshape(merged, {merged.size(1), merged.size(2)});
}

// Results that may have an upstream gradient in the file, as they are written.
struct Results {
  Variable context, weights, log_probability, entropy;
};

// Gradients of <grad_context, context> + <grad_weights, weights> + ..., whichever are given.
void add_gradients(AttendTensors& input, const Results& results, const Leaves& leaves,
                   Answer& answer) {
  bool any = false;
  for (const auto& [name, result] :
       {std::pair{"grad_context", results.context}, std::pair{"grad_weights", results.weights},
        std::pair{"grad_log_probability", results.log_probability},
        std::pair{"grad_entropy", results.entropy}}) {
    const Tensor seed = input.tensor(name);
    if (!seed.defined()) continue;
    if (!result.defined()) {
      throw UsageError("{}: {} was given, but no normaliser of the mechanism draws", input.name(),
                       name);
    }
    if (seed.shape() != result.shape()) {
      throw UsageError("{}: {} is {}; it takes {}", input.name(), name, seed.shape().text(),
                       result.shape().text());
    }
    if (result.needs_gradient()) backward(result, seed, {.keep_graph = true});
    any = true;
  }
  if (!any) return;
  for (const nn::Parameter& leaf : leaves) {
    const Tensor& gradient = leaf.variable.gradient();
    answer.add("grad_" + leaf.name,
               gradient.defined() ? gradient : Tensor::zeros(leaf.variable.shape()));
  }
}

}  // namespace

void Answer::add(const std::string& name, const Tensor& value) {
  if (value.defined()) tensors[name] = value.packed();
}

Answer answer(AttendTensors& input, Question question, const Asked& asked) {
  const attention::MechanismShape shape{.query_width = question.query.size(3),
                                        .key_width = question.keys.size(3),
                                        .value_width = question.values.size(3),
                                        .heads = question.heads.query,
                                        .key_heads = question.heads.key};
  // First as the user wrote it, so that errors point into the user's own text.
  const attention::Spec written = attention::parse_spec(asked.spec);
  Random random(asked.init.value_or(0));
  std::unique_ptr<attention::Attention> mechanism =
      attention::make_attention(written, shape, random);
  check_needs(input, written, question);
  if (const attention::Spec whole = with_data(written, question); !(whole == written)) {
    Random again(asked.init.value_or(0));
    mechanism = attention::make_attention(whole, shape, again);
  }
  if (!mechanism->gives_weights()) {
    throw UsageError("{}: \"{}\" has no weights, which heed attend would show", input.name(),
                     asked.spec);
  }
  Leaves parameters = nn::parameters(*mechanism);
  load_parameters(input, parameters, asked.init.has_value());
  question.leaves.insert(question.leaves.end(), parameters.begin(), parameters.end());

  StructureWatch structures;
  const attention::Attended found = mechanism->attend(
      question.query, mechanism->memory(question.keys, question.values, question.key_data), {},
      {.given = question.given,
       .weights = true,
       .log_sum_exp = mechanism->has_log_sum_exp(),
       .noise = &random,
       .watch = asked.structures ? &structures : nullptr});
  const Results results{.context = context_of(found.context, question),
                        .weights = in_rank(found.weights, question),
                        .log_probability = in_rank(found.log_probability, question),
                        .entropy = in_rank(found.entropy, question)};
  Answer answer{.weights = found.weights.value(), .structures = structures.found()};
  answer.add("context", results.context.value());
  answer.add("weights", results.weights.value());
  answer.add("scores", in_rank(found.scores, question).value());
  answer.add("lse", in_rank(Variable(found.log_sum_exp), question).value());
  answer.add("log_probability", results.log_probability.value());
  answer.add("entropy", results.entropy.value());
  add_gradients(input, results, question.leaves, answer);
  return answer;
}

}  // namespace heed::attend
