// SPDX-License-Identifier: Apache-2.0
// The verb `attend`: one mechanism on tensors from a file, its results and gradients into another.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/attend_demo.h"
#include "cli/attend_input.h"
#include "cli/verb.h"
#include "heed/attention/mechanism.h"
#include "heed/attention/multi_head.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"
#include "heed/insight/heatmap.h"

namespace heed::cli {
namespace {

struct Arguments {
  std::string spec;
  std::string input;
  std::string output;
  std::string heads;  // "H" or "H,Hkv"
  std::optional<std::uint64_t> init;
  bool show = false;
  bool demo = false;
};

struct Heads {
  std::int64_t query = 1;
  std::int64_t key = 1;
  bool given = false;
};

Heads parse_heads(const std::string& text) {
  if (text.empty()) return {};
  const auto words = split(text, ',');
  if (words.size() > 2) throw UsageError("--heads is \"{}\": it takes H or H,Hkv", text);
  const std::int64_t query = parse_integer(words.front(), "--heads");
  const std::int64_t key = parse_integer(words.back(), "--heads");
  if (query < 1 || key < 1 || query % key != 0) {
    throw UsageError("--heads is \"{}\": H is a multiple of Hkv, and both are 1 or more", text);
  }
  return {query, key, true};
}

// Everything that has a gradient, by the name of its tensor.
using Leaves = std::vector<nn::Parameter>;

struct Question {
  int rank = 0;  // of the tensors in the file
  Heads heads;
  Variable query;   // [B,H,Q,Dq]
  Variable keys;    // [B,G,K,Dk]
  Variable values;  // [B,G,K,Dv]
  Variable w_o;     // [out, H*Dv], or not defined
  Leaves leaves;
};

// [S,D], [B,S,D] or [B,H,S,D] -> [B,H,S,D], through the projection [out,in] where there is one.
Variable as_heads(const Variable& x, const Variable& projection, std::int64_t heads) {
  if (x.rank() == 4) return x;
  Variable rows = x.rank() == 2 ? reshape(x, {1, x.size(0), x.size(1)}) : x;
  if (projection.defined()) rows = linear(rows, projection, Variable());
  return attention::split_heads(rows, heads);
}

Question read_question(AttendInput& input, const Heads& heads) {
  Question question;
  question.heads = heads;
  std::map<std::string, Variable> found;
  std::vector<std::string> missing;
  for (const char* name : {"query", "keys", "values"}) {
    const Tensor value = input.tensor(name);
    if (!value.defined()) {
      missing.emplace_back(name);
      continue;
    }
    if (question.rank == 0) question.rank = value.rank();
    if (value.rank() < 2 || value.rank() > 4 || value.rank() != question.rank) {
      throw UsageError("{}: {} is {}; query, keys and values are all [S,D], [B,S,D] or [B,H,S,D]",
                       input.name(), name, value.shape().text());
    }
    found[name] = Variable::leaf(value);
    question.leaves.push_back({name, found[name]});
  }
  if (!missing.empty()) {
    throw UsageError("{}: no tensor {}; query, keys and values are needed", input.name(),
                     join(missing, ", "));
  }
  for (const char* name : {"W_Q", "W_K", "W_V", "W_O"}) {
    const Tensor value = input.tensor(name);
    if (!value.defined()) continue;
    if (question.rank == 4 || value.rank() != 2) {
      throw UsageError("{}: {} is {}; projections are [out,in] and belong to [S,D] or [B,S,D]",
                       input.name(), name, value.shape().text());
    }
    found[name] = Variable::leaf(value);
    question.leaves.push_back({name, found[name]});
  }
  if (heads.given && question.rank != 3) {
    throw UsageError("--heads splits [B,S,D]; {} has query {}", input.name(),
                     found["query"].shape().text());
  }
  if (question.rank == 4) {
    question.heads = {found["query"].size(1), found["keys"].size(1), true};
  }
  question.query = as_heads(found["query"], found["W_Q"], question.heads.query);
  question.keys = as_heads(found["keys"], found["W_K"], question.heads.key);
  question.values = as_heads(found["values"], found["W_V"], question.heads.key);
  question.w_o = found["W_O"];
  return question;
}

// [Q,K], [B,Q,K] or [B,H,Q,K] -> [B or 1, H or 1, Q, K]
Tensor widened(const AttendInput& input, const Tensor& mask, const Question& question) {
  const std::int64_t queries = question.query.size(2);
  const std::int64_t keys = question.keys.size(2);
  Tensor wide = mask;
  if (wide.rank() == 3) wide = wide.unsqueeze(1);
  while (wide.rank() < 4) wide = wide.unsqueeze(0);
  const auto fits = [&](int axis, std::int64_t size) {
    return wide.size(axis) == 1 || wide.size(axis) == size;
  };
  if (mask.rank() > 4 || !fits(0, question.query.size(0)) || !fits(1, question.heads.query) ||
      !fits(2, queries) || !fits(3, keys)) {
    throw UsageError("{}: mask is {}; it broadcasts to [{},{},{},{}]", input.name(),
                     mask.shape().text(), question.query.size(0), question.heads.query, queries,
                     keys);
  }
  return wide.expand({wide.size(0), wide.size(1), queries, keys}).packed();
}

// A float mask is added, but for -inf, which says "not this key" and becomes part of the pattern:
// a set of allowed keys needs no arithmetic with infinities.
void take_float_mask(const Tensor& mask, attention::MemoryData& data) {
  Tensor bias = mask.clone();
  Tensor allowed = Tensor::full(mask.shape(), Real{1});
  Real* numbers = bias.mutable_data();
  Real* flags = allowed.mutable_data();
  bool forbids = false;
  for (std::int64_t i = 0; i < bias.size(); ++i) {
    if (numbers[i] != -std::numeric_limits<Real>::infinity()) continue;
    numbers[i] = 0;
    flags[i] = 0;
    forbids = true;
  }
  data.bias = bias;
  if (forbids) data.mask = allowed;
}

attention::MemoryData read_data(AttendInput& input, const Question& question) {
  const std::int64_t batch = question.query.size(0);
  attention::MemoryData data;
  if (const TensorInfo* mask = input.find("mask"); mask != nullptr) {
    if (is_floating(mask->dtype)) {
      take_float_mask(widened(input, input.tensor("mask"), question), data);
    } else {
      data.mask = widened(input, input.flags(*mask), question);
    }
  }
  data.lengths = input.ids("lengths", {batch});
  data.query_segments = input.ids("query_segments", {batch, question.query.size(2)});
  data.key_segments = input.ids("key_segments", {batch, question.keys.size(2)});
  if (const Tensor bounds = input.tensor("bounds"); bounds.defined()) {
    const Shape shape = {batch, question.heads.query, question.query.size(2),
                         question.keys.size(2)};
    data.bounds = Variable(widened(input, bounds, question).expand(shape).packed());
  }
  return data;
}

bool names(const attention::PatternSpec& pattern, std::string_view part) {
  if (pattern.kind == attention::PatternSpec::Kind::part) return pattern.part.name == part;
  return std::ranges::any_of(pattern.patterns,
                             [&](const auto& inner) { return names(inner, part); });
}

// pattern & part, unless the pattern already asks for it.
void restrict_by(attention::PatternSpec& pattern, const std::string& part) {
  if (names(pattern, part)) return;
  const attention::PatternSpec more{.part = {.name = part}};
  if (pattern.kind == attention::PatternSpec::Kind::both) {
    pattern.patterns.push_back(more);
  } else {
    pattern = {.kind = attention::PatternSpec::Kind::both, .patterns = {pattern, more}};
  }
}

// The mechanism as written, together with what the data ask for: a mask and lengths restrict the
// pattern, a float mask is the last bias.
std::string with_data(const std::string& text, const attention::MemoryData& data) {
  attention::Spec spec = attention::parse_spec(text);
  for (attention::HeadsSpec& group : spec.groups) {
    attention::MechanismSpec& mechanism = group.mechanism;
    if (data.mask.defined()) restrict_by(mechanism.pattern, "tensor");
    if (data.lengths.defined()) restrict_by(mechanism.pattern, "padding");
    const bool biased = std::ranges::any_of(
        mechanism.terms, [](const attention::PartSpec& term) { return term.name == "tensor"; });
    if (data.bias.defined() && !biased) mechanism.terms.push_back({.name = "tensor"});
  }
  return attention::written(spec);
}

// The file's values for the parts' parameters; those it lacks keep their first values with --init.
void load_parameters(AttendInput& input, Leaves& parameters, bool may_miss) {
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
    throw UsageError("{}: no tensor {}; --init SEED draws what is missing", input.name(),
                     join(missing, ", "));
  }
}

// lse has a meaning where every head weighs by softmax of the scores themselves.
bool has_log_sum_exp(const std::string& text) {
  const attention::Spec spec = attention::parse_spec(text);
  return std::ranges::all_of(spec.groups, [](const attention::HeadsSpec& group) {
    return group.mechanism.normaliser.name == "softmax" &&
           group.mechanism.normaliser.arguments.empty();
  });
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

// Results by name; the tensors live until the file is written.
class Output {
 public:
  void add(const std::string& name, const Tensor& value) {
    if (value.defined()) tensors_[name] = value.packed();
  }
  void write(const std::string& path) const {
    SafetensorsWriter writer;
    for (const auto& [name, value] : tensors_) {
      writer.add(name, std::vector<std::size_t>(value.shape().begin(), value.shape().end()),
                 value.span());
    }
    writer.write(path);
  }

 private:
  std::map<std::string, Tensor> tensors_;
};

// Gradients of <grad_context, context> + <grad_weights, weights>, whichever are given.
void add_gradients(AttendInput& input, const Variable& context, const Variable& weights,
                   const Leaves& leaves, Output& output) {
  bool any = false;
  for (const auto& [name, result] :
       {std::pair{"grad_context", context}, std::pair{"grad_weights", weights}}) {
    const Tensor seed = input.tensor(name);
    if (!seed.defined()) continue;
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
    output.add("grad_" + leaf.name,
               gradient.defined() ? gradient : Tensor::zeros(leaf.variable.shape()));
  }
}

void show(const Tensor& weights) {
  const insight::Screen screen = insight::screen_of(STDOUT_FILENO);
  for (std::int64_t b = 0; b < weights.size(0); ++b) {
    for (std::int64_t h = 0; h < weights.size(1); ++h) {
      if (weights.size(0) > 1 || weights.size(1) > 1) fmt::print("sequence {}, head {}\n", b, h);
      fmt::print("{}", insight::heatmap(weights.select(0, b).select(0, h), {.screen = screen}));
    }
  }
}

void run(const Arguments& arguments) {
  if (arguments.demo) return attend_demo();
  if (arguments.spec.empty() || arguments.input.empty() ||
      (arguments.output.empty() && !arguments.show)) {
    throw UsageError("it takes a mechanism, --input and --output or --show; or --demo alone");
  }
  AttendInput input(arguments.input);
  Question question = read_question(input, parse_heads(arguments.heads));
  const attention::MemoryData data = read_data(input, question);
  const attention::MechanismShape shape{.query_width = question.query.size(3),
                                        .key_width = question.keys.size(3),
                                        .value_width = question.values.size(3),
                                        .heads = question.heads.query,
                                        .key_heads = question.heads.key};
  // First as the user wrote it, so that errors point into the user's own text.
  Random random(arguments.init.value_or(0));
  attention::Mechanism mechanism(arguments.spec, shape, random);
  if (data.mask.defined() || data.bias.defined() || data.lengths.defined()) {
    Random again(arguments.init.value_or(0));
    mechanism = attention::Mechanism(with_data(arguments.spec, data), shape, again);
  }
  Leaves parameters = nn::parameters(mechanism);
  load_parameters(input, parameters, arguments.init.has_value());
  question.leaves.insert(question.leaves.end(), parameters.begin(), parameters.end());

  const attention::Attended found = mechanism.attend(
      question.query, mechanism.memory(question.keys, question.values, data), {},
      {.weights = true, .log_sum_exp = has_log_sum_exp(arguments.spec), .noise = &random});
  const Variable context = context_of(found.context, question);
  const Variable weights = in_rank(found.weights, question);

  Output output;
  output.add("context", context.value());
  output.add("weights", weights.value());
  output.add("scores", in_rank(found.scores, question).value());
  if (found.log_sum_exp.defined()) {
    output.add("lse", in_rank(Variable(found.log_sum_exp), question).value());
  }
  add_gradients(input, context, weights, question.leaves, output);
  input.report_unused();
  if (!arguments.output.empty()) output.write(arguments.output);
  if (arguments.show) show(found.weights.value());
}

Action setup(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  app.add_option("SPEC", arguments->spec, "scores + biases | pattern | normaliser")->type_name("");
  app.add_option("--input", arguments->input, "safetensors file to read")->type_name("FILE");
  app.add_option("--output", arguments->output, "safetensors file to write")->type_name("FILE");
  app.add_option("--heads", arguments->heads, "heads that [B,S,D] is split into")
      ->type_name("H[,Hkv]");
  app.add_option_function<std::uint64_t>(
         "--init", [arguments](std::uint64_t seed) { arguments->init = seed; },
         "draw the parameters that the file lacks")
      ->type_name("SEED");
  app.add_flag("--show", arguments->show, "print the weights as a heatmap");
  app.add_flag("--demo", arguments->demo, "walk through score, normalise, combine");
  return [arguments] { run(*arguments); };
}

const ListedVerb kListed(
    {.name = "attend",
     .summary = "Run a mechanism on the tensors of a file",
     .description =
         "Reads query, keys and values: [S,D], [B,S,D] (split by --heads) or [B,H,S,D]. Optional: "
         "mask (boolean: true attends; float: added), lengths [B], query_segments, key_segments, "
         "bounds, projections W_Q W_K W_V W_O as [out,in], and the parameters that `heed "
         "mechanisms NAME` lists. Writes context, weights, scores and, for softmax, lse; given "
         "grad_context or grad_weights also grad_NAME of query, keys, values and every parameter.",
     .example = "heed attend \"scaled_dot | causal\" --input in.safetensors --output "
                "out.safetensors\nheed attend \"additive | full | sparsemax\" --input "
                "in.safetensors --init 1 --show\nheed attend --demo",
     .setup = setup});

}  // namespace
}  // namespace heed::cli
