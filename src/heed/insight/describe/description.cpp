// SPDX-License-Identifier: Apache-2.0
// From paths to a tree, with notes by the names that modules use, and costs by shapes.
#include "heed/insight/describe/description.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/describe/description_notes.h"

namespace heed::insight {
namespace {

constexpr std::int64_t kBytes = sizeof(Real);

std::int64_t count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

Part& child(Part& parent, std::string_view name) {
  const auto found = std::ranges::find(parent.parts, name, &Part::name);
  if (found != parent.parts.end()) return *found;
  parent.parts.push_back({.name = std::string(name)});
  return parent.parts.back();
}

// A token passes a matrix by 2 flops for each element, and is looked up in a table for nothing.
double flops_of(const NamedShape& parameter, const ModelFacts& facts) {
  const auto count = static_cast<double>(count_of(parameter.shape));
  if (parameter.shape.size() < 2) return count;
  return is_table(parameter.path, facts) ? 0 : 2 * count;
}

void add_parameter(Part& root, const NamedShape& parameter, const ModelFacts& facts) {
  Part* part = &root;
  const std::int64_t count = count_of(parameter.shape);
  const double flops = flops_of(parameter, facts);
  const auto add = [&](Part& to) {
    to.parameters += count;
    to.flops += flops;
  };
  add(*part);
  for (const std::string_view name : split(parameter.path, '.')) {
    part = &child(*part, name);
    add(*part);
  }
  part->shape = fmt::format("[{}]", fmt::join(parameter.shape, ","));
}

bool is_number(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

bool equal_inside(const Part& a, const Part& b) {
  return a.parameters == b.parameters && a.shape == b.shape && a.note == b.note &&
         std::ranges::equal(a.parts, b.parts, [](const Part& x, const Part& y) {
           return x.name == y.name && equal_inside(x, y);
         });
}

// Numbers by their value, names by the way of a token.
void put_in_order(Part& part) {
  std::ranges::stable_sort(part.parts, [](const Part& a, const Part& b) {
    if (is_number(a.name) && is_number(b.name)) {
      return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
    }
    return flow_rank(a.name) < flow_rank(b.name);
  });
  for (Part& inner : part.parts) put_in_order(inner);
}

// Layers 0, 1, 2 of the same make become "0-2", three copies.
void fold(Part& part) {
  for (Part& inner : part.parts) fold(inner);
  std::vector<Part> folded;
  for (Part& inner : part.parts) {
    const bool again = !folded.empty() && is_number(inner.name) &&
                       is_number(folded.back().name.substr(0, folded.back().name.find('-'))) &&
                       equal_inside(folded.back(), inner);
    if (!again) {
      folded.push_back(std::move(inner));
      continue;
    }
    Part& first = folded.back();
    ++first.copies;
    first.name = fmt::format("{}-{}", first.name.substr(0, first.name.find('-')), inner.name);
  }
  part.parts = std::move(folded);
}

// A lone part inside another says the same once: "embedding.weight" is one line.
void shorten_chains(Part& part) {
  for (Part& inner : part.parts) {
    shorten_chains(inner);
    while (inner.parts.size() == 1 && inner.copies == 1 && inner.parts[0].copies == 1 &&
           (inner.note.empty() || inner.parts[0].note.empty())) {
      Part only = std::move(inner.parts[0]);
      only.name = inner.name + '.' + only.name;
      if (only.note.empty()) only.note = inner.note;
      inner = std::move(only);
    }
  }
}

void add_notes(Part& part, const std::string& path, const ModelFacts& facts) {
  for (Part& inner : part.parts) {
    const std::string inner_path = path.empty() ? inner.name : path + '.' + inner.name;
    inner.note = note_of(inner_path, facts);
    add_notes(inner, inner_path, facts);
  }
}

// Rows of a parameter below `module`, 0 when there is none.
std::int64_t rows_of(const ModelFacts& facts, const std::string& module, std::string_view name) {
  for (const NamedShape& parameter : facts.parameters) {
    const bool own = parameter.path == fmt::format("{}.{}", module, name) ||
                     parameter.path == fmt::format("{}.{}.weight", module, name);
    if (own && !parameter.shape.empty()) return parameter.shape.front();
  }
  return 0;
}

void add_attention_cost(const ModelFacts& facts, Cost& cost) {
  for (const std::string& module : attention_modules(facts)) {
    const std::int64_t queries = rows_of(facts, module, "W_Q");
    const std::int64_t keys = rows_of(facts, module, "W_K"), values = rows_of(facts, module, "W_V");
    if (queries > 0) {  // a product with each key, and each value weighed: of every head
      cost.flops_per_key += static_cast<double>(4 * queries);
      if (keeps_keys(module, facts)) cost.cache_bytes_per_token += (keys + values) * kBytes;
      continue;
    }
    // v · tanh(W1 query + W2 key): a sum, a tanh and a product for each unit.
    cost.flops_per_key += static_cast<double>(4 * rows_of(facts, module, "score.v"));
  }
}

void add_state_cost(const ModelFacts& facts, Cost& cost) {
  const auto cell = facts.options.find("cell");
  const bool lstm = cell != facts.options.end() && cell->second == "lstm";  // has a cell beside h
  for (const NamedShape& parameter : facts.parameters) {
    if (parameter.path.ends_with(".w_h") && parameter.shape.size() == 2) {
      const std::int64_t units = std::min(parameter.shape[0], parameter.shape[1]);
      cost.state_bytes += (lstm ? 2 : 1) * units * kBytes;
    }
  }
}

void write_part(const Part& part, const std::string& indent, int depth, std::string& text) {
  const std::string copies =
      part.copies > 1 ? fmt::format(" ({} of these)", part.copies) : std::string();
  constexpr std::size_t kNameColumns = 44, kNumberColumns = 14;
  const std::string name = fmt::format("{}{} {}{}", indent, part.name, part.shape, copies);
  text += pad_right(name, kNameColumns);
  text += pad_left(part.trained ? fmt::format("{}", part.parameters) : "fixed", kNumberColumns);
  text += pad_left(part.flops > 0 ? human_count(part.flops) : "", 10);
  if (!part.note.empty()) text += "  " + part.note;
  while (text.ends_with(' ')) text.pop_back();
  text += '\n';
  if (depth == 1) return;
  for (const Part& inner : part.parts) write_part(inner, indent + "  ", depth - 1, text);
}

}  // namespace

std::vector<NamedShape> shapes_of(const nn::Parameters& parameters) {
  std::vector<NamedShape> shapes;
  for (const nn::Parameter& parameter : parameters) {
    const Shape& shape = parameter.variable.value().shape();
    shapes.push_back({parameter.name, {shape.begin(), shape.end()}});
  }
  return shapes;
}

Description describe(const ModelFacts& facts) {
  if (facts.parameters.empty()) throw UsageError("{}: no parameters to describe", facts.title);
  Description description{.title = facts.title};
  for (const NamedShape& parameter : facts.parameters) {
    add_parameter(description.root, parameter, facts);
  }
  add_notes(description.root, "", facts);
  for (Part& fixed : fixed_parts(facts)) {
    description.root.parts.insert(description.root.parts.begin(), std::move(fixed));
  }
  put_in_order(description.root);
  fold(description.root);
  shorten_chains(description.root);
  Cost& cost = description.cost;
  cost.parameters = description.root.parameters;
  cost.weight_bytes = cost.parameters * kBytes;
  cost.flops_per_token = description.root.flops;
  add_attention_cost(facts, cost);
  add_state_cost(facts, cost);
  return description;
}

std::string to_text(const Description& description, int depth) {
  std::string text = description.title + '\n';
  text += pad_right("part", 44) + pad_left("parameters", 14) + pad_left("flops", 10) + '\n';
  for (const Part& part : description.root.parts) write_part(part, "  ", depth, text);
  const Cost& cost = description.cost;
  if (cost.parameters > 0) {
    text += fmt::format("parameters        {}, all trained: {} in memory\n", cost.parameters,
                        human_bytes(static_cast<std::uint64_t>(cost.weight_bytes)));
  } else {
    text += "parameters        none\n";
  }
  text += fmt::format("flops per token   {}", human_count(cost.flops_per_token));
  if (cost.flops_per_key > 0) {
    text += fmt::format(", and {} for each key it looks at", human_count(cost.flops_per_key));
  }
  text += '\n';
  if (cost.cache_bytes_per_token > 0) {
    text += fmt::format("memory per token  {} of keys and values\n",
                        human_bytes(static_cast<std::uint64_t>(cost.cache_bytes_per_token)));
  }
  if (cost.state_bytes > 0) {
    text += fmt::format("recurrent state   {}, whatever the length\n",
                        human_bytes(static_cast<std::uint64_t>(cost.state_bytes)));
  }
  return text;
}

}  // namespace heed::insight
