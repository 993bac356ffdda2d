// SPDX-License-Identifier: Apache-2.0
// `heed curves`: the losses and metrics of several trainings in one picture, or for TensorBoard.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>

#include "cli/output_files.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/insight/draw/curve_plot.h"
#include "heed/pipeline/model_folder.h"
#include "heed/training/event_file.h"

namespace heed::cli {
namespace {

struct CurvesVerb {
  std::vector<std::string> folders;
  std::string svg;
  std::string tensorboard;
  std::vector<std::string> metrics;
  OutputFiles files;
  Options list;

  CurvesVerb() {
    list.add("svg", svg, "draw all runs to this file").kind("FILE");
    list.add("tensorboard", tensorboard,
             "write an event file of each run to a folder of its name in this one, which "
             "TensorBoard reads")
        .kind("FOLDER");
    list.add("metrics", metrics,
             "which curves, such as \"training loss\" or bleu; none given: all there are");
    files.declare(list);
  }
};

// The last two names of a path tell runs apart whose folders are all called model.
std::string name_of_run(const std::filesystem::path& folder) {
  const std::filesystem::path whole = std::filesystem::absolute(folder).lexically_normal();
  const std::filesystem::path last = whole.has_filename() ? whole : whole.parent_path();
  return fmt::format("{}/{}", last.parent_path().filename().string(), last.filename().string());
}

insight::NamedCurve read_curve(const std::string& folder) {
  const std::filesystem::path file = pipeline::ModelFolder{folder}.curve();
  if (!std::filesystem::exists(file)) {
    throw DataError("{}: there is no curve.tsv in it; a training writes one at every validation",
                    folder);
  }
  return {name_of_run(folder), training::Curve::from_text(read_file(file))};
}

// Seconds since 1970 at which the curve was written last.
double written_at(const std::string& folder) {
  const auto time = std::filesystem::last_write_time(pipeline::ModelFolder{folder}.curve());
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

void print_table(const std::vector<insight::NamedCurve>& runs) {
  for (const insight::NamedCurve& run : runs) {
    for (const auto& [name, series] : run.curve.series()) {
      if (series.empty()) continue;
      fmt::print("{}  {}: {} points, last {:.4g} at update {}\n", run.name, name, series.size(),
                 series.back().value, series.back().update);
    }
  }
}

void run(CurvesVerb& verb) {
  for (const std::string& folder : verb.folders) {
    verb.files.reads({pipeline::ModelFolder{folder}.curve().string()});
  }
  verb.files.check(verb.svg);
  std::vector<insight::NamedCurve> runs;
  for (const std::string& folder : verb.folders) runs.push_back(read_curve(folder));
  if (!verb.svg.empty()) {
    verb.files.write(verb.svg, insight::curves_svg(runs, "training", verb.metrics));
    fmt::print("{}: the curves of {} run{}\n", verb.svg, runs.size(), runs.size() == 1 ? "" : "s");
  }
  for (std::size_t i = 0; i < runs.size() && !verb.tensorboard.empty(); ++i) {
    std::string name = runs[i].name;
    std::ranges::replace(name, '/', '-');
    const std::filesystem::path folder = std::filesystem::path(verb.tensorboard) / name;
    make_folder(folder);
    const std::filesystem::path file = folder / "events.out.tfevents.heed";
    write_atomically(file, training::event_file(runs[i].curve, written_at(verb.folders[i])));
    fmt::print("{}\n", file.string());
  }
  if (verb.svg.empty() && verb.tensorboard.empty()) print_table(runs);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<CurvesVerb>();
  line.add("FOLDER", verb->folders, "model folders, as heed train leaves them").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "curves",
     .summary = "Draw the training curves of several runs in one picture",
     .description = "Reads what each training wrote at its validations. Without --svg or "
                    "--tensorboard it prints the last value of every curve.",
     .example = "heed curves small/model large/model --svg curves.svg\n"
                "heed curves small/model large/model --metrics bleu --svg bleu.svg\n"
                "heed curves small/model --tensorboard logs",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
