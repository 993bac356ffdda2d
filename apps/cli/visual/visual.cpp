// SPDX-License-Identifier: Apache-2.0
// `heed visual`: answers to questions on pictures, with each look; or how good a model is at it.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/corpora/scenes/scene_set.h"
#include "heed/images/image_file.h"
#include "heed/insight/draw/overlay_picture.h"
#include "heed/insight/terminal/overlay_view.h"
#include "heed/pipeline/visual/picture_answers.h"

namespace heed::cli {
namespace {

using nlohmann::ordered_json;
using pipeline::PictureAnswerer;

// Scenes that no training with a usual seed has seen.
constexpr std::uint64_t kFreshQuestions = 1'000'003;
constexpr std::size_t kShownAnswers = 3;

struct VisualVerb {
  std::string model;
  std::string input;
  std::string question;
  std::int64_t sample = 0;
  std::int64_t measure = 0;
  std::vector<std::string> data;
  std::uint64_t seed = kFreshQuestions;
  bool show = false;
  std::string draw;
  bool dark = false;
  bool json = false;
  int threads = 0;
  TraceOutput trace;
  Options list;

  VisualVerb() {
    list.add("input", input, "a picture: PNG, JPEG, PGM or PPM").letter('i').kind("FILE");
    list.add("question", question, "what to ask about it");
    list.add("sample", sample, "instead: so many fresh scenes with their questions").range(0, 1000);
    list.add("measure", measure,
             "instead: so many fresh scenes of each part: test, test-far (four objects) and "
             "test-new (new pairs of colour and shape)")
        .range(0, 100'000);
    list.add("data", data,
             "instead: tables of questions that are measured, such as scenes/test.questions.tsv")
        .kind("FILE");
    list.add("seed", seed, "of fresh scenes");
    list.add("show", show, "print where each look went, of the first question");
    list.add("draw", draw, "draw that to this file, .svg or .png").kind("FILE");
    list.add("dark", dark, "draw on a dark ground");
    list.add("json", json, "print JSON");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void check(const VisualVerb& verb) {
  const int given = (verb.input.empty() ? 0 : 1) + (verb.sample > 0 ? 1 : 0) +
                    (verb.measure > 0 ? 1 : 0) + (verb.data.empty() ? 0 : 1);
  if (given != 1) {
    throw UsageError(
        "{}: give --input with a picture and --question, --sample or --measure with a number of "
        "scenes, or --data with a table",
        given == 0 ? "nothing to answer" : "--input, --sample, --measure and --data");
  }
  if (verb.input.empty() != verb.question.empty()) {
    throw UsageError("--input and --question belong together; give both, or none");
  }
  const std::string ending = lower(std::filesystem::path(verb.draw).extension().string());
  if (!verb.draw.empty() && ending != ".svg" && ending != ".png") {
    throw UsageError("--draw {}: give a name that ends in .svg or .png", verb.draw);
  }
  if ((verb.measure > 0 || !verb.data.empty()) &&
      (!verb.draw.empty() || verb.show || verb.trace.wanted())) {
    throw UsageError(
        "--draw, --show and --trace take --input or --sample; --measure and --data print numbers "
        "only");
  }
}

struct MeasuredQuestions {
  std::string part{};
  pipeline::PictureQuality quality{};
};

double share_right(const pipeline::PictureQuality::Kind& kind) {
  return kind.asked == 0 ? 0 : static_cast<double>(kind.right) / static_cast<double>(kind.asked);
}

std::string question_table(const std::vector<MeasuredQuestions>& rows) {
  std::string text;
  for (const MeasuredQuestions& row : rows) {
    const pipeline::PictureQuality& quality = row.quality;
    text += fmt::format("{}: {} questions, {:.3f} right\n", row.part, quality.all.asked,
                        share_right(quality.all));
    for (const auto& [name, kind] : quality.kinds) {
      text += fmt::format("  {:<10} {:>6}  {:.3f}\n", name, kind.asked, share_right(kind));
    }
    for (const bool right : {true, false}) {
      const auto& looks = right ? quality.looks_right : quality.looks_wrong;
      for (std::size_t k = 0; k < looks.size(); ++k) {
        text += fmt::format(
            "  look {} of {} answers: mass {:.3f}, pointing {:.3f} (even {:.3f}, {:.3f}; middle "
            "{:.3f}, {:.3f})\n",
            k + 1, right ? "right" : "wrong", looks[k].mass(), looks[k].pointing(),
            looks[k].uniform_mass(), looks[k].uniform_pointing(), looks[k].centre_mass(),
            looks[k].centre_pointing());
      }
    }
  }
  return text;
}

std::string question_json(const std::vector<MeasuredQuestions>& rows) {
  ordered_json list = ordered_json::array();
  for (const MeasuredQuestions& row : rows) {
    ordered_json kinds = ordered_json::object();
    for (const auto& [name, kind] : row.quality.kinds) kinds[name] = share_right(kind);
    ordered_json looks = ordered_json::array();
    for (const metrics::RegionScore& look : row.quality.looks_right) {
      looks.push_back({{"mass", look.mass()}, {"pointing", look.pointing()}});
    }
    list.push_back({{"part", row.part},
                    {"questions", row.quality.all.asked},
                    {"accuracy", share_right(row.quality.all)},
                    {"kinds", std::move(kinds)},
                    {"looks", std::move(looks)}});
  }
  return list.dump(2) + "\n";
}

void run_measure(const VisualVerb& verb, const PictureAnswerer& model) {
  std::vector<MeasuredQuestions> rows;
  for (const std::string& table : verb.data) {
    rows.push_back({std::filesystem::path(table).filename().string(),
                    model.quality(pipeline::pictures_of_table(table, model.form()))});
  }
  for (const corpora::ScenePart part :
       {corpora::ScenePart::test, corpora::ScenePart::far, corpora::ScenePart::fresh}) {
    if (verb.measure == 0) break;
    rows.push_back(
        {std::string(corpora::kScenePartNames[static_cast<std::size_t>(part)]),
         model.quality(corpora::make_scenes(part, {.seed = verb.seed, .size = verb.measure}))});
  }
  fmt::print("{}", verb.json ? question_json(rows) : question_table(rows));
}

struct ShownAnswer {
  images::Image picture{};
  std::vector<images::Box> gold{};
  std::string answer{};  // the right one; empty: unknown
  pipeline::LookedAnswer look{};
};

std::vector<ShownAnswer> answers_of(const VisualVerb& verb, const PictureAnswerer& model) {
  std::vector<ShownAnswer> all;
  if (!verb.input.empty()) {
    const images::Image picture =
        pipeline::picture_in_form(images::read_image(verb.input), model.form(), verb.input);
    all.push_back({picture, {}, {}, model.look(picture, verb.question)});
    return all;
  }
  const corpora::PictureSet set =
      corpora::make_scenes(corpora::ScenePart::test, {.seed = verb.seed, .size = verb.sample});
  for (std::int64_t i = 0; i < set.size(); ++i) {
    const corpora::Pictured& said = set.of[static_cast<std::size_t>(i)];
    for (const corpora::PictureQuestion& one : said.questions) {
      ShownAnswer shown{set.images.image(i), {}, one.answer, {}};
      for (const int region : one.regions) {
        shown.gold.push_back(said.regions[static_cast<std::size_t>(region)].box);
      }
      shown.look = model.look(shown.picture, one.question);
      all.push_back(std::move(shown));
    }
  }
  return all;
}

std::string answer_text(const ShownAnswer& one) {
  std::string text = one.look.question + "\n ";
  for (std::size_t i = 0; i < std::min(kShownAnswers, one.look.answers.size()); ++i) {
    text += fmt::format(" {} {:.2f}", one.look.answers[i].text, one.look.answers[i].score);
  }
  if (!one.answer.empty() && one.answer != one.look.answers.front().text) {
    text += fmt::format("; it is {}", one.answer);
  }
  if (!one.look.unknown.empty()) {
    text += fmt::format("; words it does not know: {}", join(one.look.unknown, ", "));
  }
  return text + "\n";
}

std::string answers_json(const std::vector<ShownAnswer>& all) {
  ordered_json list = ordered_json::array();
  for (const ShownAnswer& one : all) {
    ordered_json answers = ordered_json::array();
    for (const pipeline::Answer& answer : one.look.answers) {
      answers.push_back({{"answer", answer.text}, {"probability", answer.score}});
    }
    ordered_json object = {{"question", one.look.question}, {"answers", std::move(answers)}};
    if (!one.answer.empty()) object["answer"] = one.answer;
    list.push_back(std::move(object));
  }
  return list.dump(2) + "\n";
}

insight::OverlayScene answer_scene(const PictureAnswerer& model, const ShownAnswer& one) {
  if (one.look.weights.empty()) {
    throw UsageError("--show, --draw: this model does not attend");
  }
  const models::ImageGridShape grid = model.grid();
  insight::OverlayScene scene{
      .image = one.picture,
      .gold = one.gold,
      .title = fmt::format("{} {}", one.look.question, one.look.answers.front().text)};
  for (std::size_t k = 0; k < one.look.weights.size(); ++k) {
    scene.views.push_back({.label = fmt::format("look {}", k + 1),
                           .weights = one.look.weights[k].reshape({grid.rows, grid.columns}),
                           .densities = one.look.densities[k]});
  }
  return scene;
}

void run_questions(VisualVerb& verb, const PictureAnswerer& model) {
  const std::vector<ShownAnswer> all = answers_of(verb, model);
  if (verb.json) {
    fmt::print("{}", answers_json(all));
  } else {
    for (const ShownAnswer& one : all) fmt::print("{}", answer_text(one));
  }
  if (verb.trace.wanted()) {
    for (const ShownAnswer& one : all) verb.trace.add(model.traced(one.picture, one.look));
  }
  if (verb.show || !verb.draw.empty()) {
    const insight::OverlayScene scene = answer_scene(model, all.front());
    if (verb.show && !verb.json) {
      fmt::print("\n{}",
                 insight::overlay_view(scene, {.screen = insight::screen_of(STDOUT_FILENO)}));
    }
    if (!verb.draw.empty()) {
      const insight::PictureStyle style{.theme = verb.dark ? insight::Theme::dark
                                                           : insight::Theme::light};
      verb.trace.files().write(verb.draw, lower(verb.draw).ends_with(".png")
                                              ? insight::overlay_png(scene, style)
                                              : insight::overlay_svg(scene, style));
    }
  }
  verb.trace.finish();
}

void run(VisualVerb& verb) {
  check(verb);
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "visual", {verb.input});
  verb.trace.files().check(verb.draw);
  const PictureAnswerer model(verb.model);
  verb.measure > 0 || !verb.data.empty() ? run_measure(verb, model) : run_questions(verb, model);
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<VisualVerb>();
  line.add("MODEL", verb->model, "model folder that heed train visual wrote").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "visual",
     .summary = "Answer questions on pictures, and show where each look went",
     .description = "Prints the likeliest answers. --measure and --data say how many are right, by "
                    "kind of question, and how much of each look lies on what decides the answer, "
                    "of right and of wrong answers, beside even weights and a bell in the middle.",
     .example = "heed visual questions --sample 2 --show\n"
                "heed visual questions --input picture.png --question \"what colour is the cross "
                "?\" --draw looks.svg\n"
                "heed visual questions --measure 500",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
