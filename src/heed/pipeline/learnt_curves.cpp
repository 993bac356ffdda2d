// SPDX-License-Identifier: Apache-2.0
// Numbers of heads by update, one series for each head.
#include "heed/pipeline/learnt_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "heed/base/file.h"
#include "heed/insight/draw/curve_plot.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {
namespace {

constexpr std::string_view kComma = ", ";

std::set<std::int64_t> updates_of(const training::Curve& curve) {
  std::set<std::int64_t> updates;
  for (const auto& [name, points] : curve.series()) {
    for (const training::CurvePoint& point : points) updates.insert(point.update);
  }
  return updates;
}

// One panel for each name, one line for each head of each module.
std::string picture_of(const training::Curve& curve) {
  std::map<std::string, training::Curve> heads;
  for (const auto& [name, points] : curve.series()) {
    const std::size_t comma = name.find(kComma);
    training::Curve& mine = heads[name.substr(comma + kComma.size())];
    for (const training::CurvePoint& point : points) {
      mine.add_validation(name.substr(0, comma), point);
    }
  }
  std::vector<insight::NamedCurve> lines;
  for (auto& [name, mine] : heads) lines.push_back({name, std::move(mine)});
  return insight::curves_svg(lines, "what each head learns");
}

}  // namespace

LearntCurves::LearntCurves(const ModelFolder& folder, const Options& options,
                           const std::string& task, const nn::Parameters& parameters)
    : folder_(folder), parameters_(parameters) {
  facts_.parameters = insight::shapes_of(parameters);
  for (const Option& option : options.all()) {
    std::string text = option.value_text();
    if (text.size() >= 2 && text.starts_with('"')) text = text.substr(1, text.size() - 2);
    facts_.options[option.name()] = std::move(text);
  }
  if (const ModelKind* kind = find_kind(task)) facts_.notes = kind->notes;
}

void LearntCurves::draw(const training::Curve& curve) {
  const std::vector<insight::LearntHeads> now =
      insight::learnt_heads(facts_, [&](const std::string& path) {
        const auto found = std::ranges::find(parameters_, path, &nn::Parameter::name);
        if (found == parameters_.end()) return std::vector<double>();
        const std::vector<Real> values = found->variable.value().values();
        return std::vector<double>(values.begin(), values.end());
      });
  if (now.empty()) return;
  const std::set<std::int64_t> updates = updates_of(curve);
  if (updates.empty()) return;
  const std::int64_t update = *updates.rbegin();
  // What was drawn before belongs to this training as far as its own curve has it: it may have gone
  // back to a checkpoint, or begun anew.
  training::Curve all;
  if (std::filesystem::exists(numbers())) {
    const training::Curve before = training::Curve::from_text(read_file(numbers()));
    for (const auto& [name, points] : before.series()) {
      for (const training::CurvePoint& point : points) {
        if (point.update < update && updates.contains(point.update))
          all.add_validation(name, point);
      }
    }
  }
  for (const insight::LearntHeads& learnt : now) {
    for (std::size_t head = 0; head < learnt.heads.size(); ++head) {
      all.add_validation(fmt::format("{}{}{}, head {}", learnt.name, kComma, learnt.module, head),
                         {update, learnt.heads[head]});
    }
  }
  write_atomically(numbers(), all.text());
  write_atomically(folder_.path / "heads.svg", picture_of(all));
}

}  // namespace heed::pipeline
