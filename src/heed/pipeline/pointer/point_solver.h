// SPDX-License-Identifier: Apache-2.0
// A trained pointer network in use: points in, the order of those it points at out.
//
//   const PointSolver solver("hulls");
//   solver.point({{.1, .2}, {.9, .3}, {.5, .8}, {.5, .4}}).route;  // {0, 1, 2}
#pragma once  // public header

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/corpora/points/point_sets.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/models/point_model.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/pointer/point_search.h"
#include "heed/pipeline/pointer/pointer_options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What a model pointed at, with the weights of each step over the choices.
struct TracedRoute {
  FoundRoute found{};
  insight::TracedExample example{};
  Tensor weights{};  // [T,1+P], the end first; kMasked for what could not be chosen
};

class PointSolver final : public Model {
 public:
  // A folder that `heed train pointer` wrote. DataError for one that is damaged or of another kind.
  explicit PointSolver(const std::filesystem::path& folder);

  const PointForm& form() const { return form_; }
  int features() const { return corpora::features_of(form_.task); }

  // What it points at. Points outside the unit square are moved and scaled into it, all by the same
  // factor, for that is where it has learnt. UsageError for points that the task has no answer for,
  // such as two that coincide.
  FoundRoute point(const corpora::Points& points, const PointSearch& search = {}) const;
  std::vector<FoundRoute> point(std::span<const corpora::Points> sets,
                                const PointSearch& search = {}) const;
  // The same with its attention: strips "choices", "points", "output", and for sets "steps".
  TracedRoute trace(const corpora::Points& points, const PointSearch& search = {}) const;

  // As of every model; an input is a line "x,y x,y ...", its answer "1 3 2" with the
  // log-probability. Settings are those of PointSearch.
  const ModelKind& kind() const override;
  std::int64_t length(std::string_view text) const override;
  std::int64_t parameter_count() const override;
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;

 private:
  corpora::Points read(const std::string& text) const;
  // UsageError likewise.
  corpora::Points checked(const corpora::Points& points) const;

  PointerOptions options_;
  PointForm form_;
  std::shared_ptr<models::PointModel> model_;
};

// "1 3 2": points as people count them.
std::string route_text(std::span<const int> route);

// The points moved and scaled into the unit square, by one factor; as they are where they lie
// in it.
corpora::Points in_unit_square(const corpora::Points& points);

}  // namespace heed::pipeline

#pragma GCC visibility pop
