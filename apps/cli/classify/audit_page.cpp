// SPDX-License-Identifier: Apache-2.0
// The page: the verdict first, each sentence with a link to the section that its numbers are in.
#include "cli/classify/audit_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heed/base/svg.h"
#include "heed/insight/draw/line_plot.h"

namespace heed::cli {
namespace {

using explain::AuditGrade;
using explain::AuditMean;
using Rows = std::vector<std::vector<std::string>>;

constexpr const char* kStyle = R"(
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;background:#fff}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem;border-top:1px solid #ccc;padding-top:1rem}
table{border-collapse:collapse;margin:1rem 0;font-variant-numeric:tabular-nums}
th,td{text-align:right;padding:.2rem .7rem;border-bottom:1px solid #ddd}
th:first-child,td:first-child{text-align:left}
.verdict{list-style:none;padding:0}.verdict li{margin:.6rem 0;padding:.5rem .8rem}
.for{border-left:.4rem solid #1b7f4d}.part{border-left:.4rem solid #a67c00}
.against{border-left:.4rem solid #b3261e}
.note{opacity:.75}.text{line-height:2.1}.text span{padding:.15rem .25rem;border-radius:.2rem}
svg{max-width:100%;height:auto}
)";

std::string table(const std::vector<std::string>& head, const Rows& rows) {
  std::string text = "<table><thead><tr>";
  for (const std::string& one : head)
    text += fmt::format("<th scope=\"col\">{}</th>", svg_escaped(one));
  text += "</tr></thead><tbody>";
  for (const auto& row : rows) {
    text += "<tr>";
    for (const std::string& one : row) text += fmt::format("<td>{}</td>", svg_escaped(one));
    text += "</tr>";
  }
  return text + "</tbody></table>\n";
}

std::string section(const char* name, const char* title, const std::string& said) {
  return fmt::format("<section id=\"{}\"><h2>{}</h2>\n{}</section>\n", name, title, said);
}
std::string note(const std::string& text) {
  return "<p class=\"note\">" + svg_escaped(text) + "</p>\n";
}

// The mean with its 95% interval, the deviation and the texts, as cells.
std::vector<std::string> cells(const std::string& name, const AuditMean& mean) {
  if (mean.texts == 0) return {name, "undefined", "", "0", std::to_string(mean.undefined)};
  return {name, fmt::format("{:.3f} ± {:.3f}", mean.mean, mean.interval()),
          fmt::format("{:.3f}", mean.deviation), std::to_string(mean.texts),
          std::to_string(mean.undefined)};
}
const std::vector<std::string> kMeanHead = {"", "mean ± 95%", "deviation", "texts", "undefined"};

std::string verdict(const AuditReport& report) {
  std::string text = "<ul class=\"verdict\">\n";
  for (const explain::AuditSentence& one : report.verdict()) {
    const char* grade = one.grade == AuditGrade::speaks_for ? "for"
                        : one.grade == AuditGrade::in_part  ? "part"
                                                            : "against";
    text += fmt::format("<li class=\"{}\"><strong>{} {}.</strong> <a href=\"#{}\">{}.</a></li>\n",
                        grade, svg_escaped(one.question), svg_escaped(one.answer), one.section,
                        svg_escaped(one.text));
  }
  return text + "</ul>\n";
}

std::string agreement(const AuditReport& report) {
  const explain::AttentionAudit& audit = report.audit;
  Rows rows, classes, lengths;
  for (const auto& one : audit.agreements) {
    rows.push_back(cells(one.with, one.tau));
    rows.back().push_back(fmt::format("{:.2f}", one.significant));
    rows.back().push_back(one.support.texts > 0
                              ? fmt::format("{:.3f} ({})", one.support.mean, one.support.texts)
                              : "");
    std::vector<std::string>&by_class = classes.emplace_back(std::vector<std::string>{one.with}),
    &by_length = lengths.emplace_back(std::vector<std::string>{one.with});
    const auto mean = [](const AuditMean& m) {
      return m.texts > 0 ? fmt::format("{:.3f} ({})", m.mean, m.texts) : std::string("-");
    };
    for (const AuditMean& m : one.by_class) by_class.push_back(mean(m));
    for (const AuditMean& m : one.by_length) by_length.push_back(mean(m));
  }
  std::vector<std::string> head = kMeanHead, class_head = {"answer"}, length_head = {"words"};
  head.insert(head.end(), {"p ≤ .05", "words with weight"});
  class_head.insert(class_head.end(), report.classes.begin(), report.classes.end());
  for (const auto& bin : audit.lengths) {
    length_head.push_back(bin.high - bin.low == 1 ? std::to_string(bin.low)
                                                  : fmt::format("{} to {}", bin.low, bin.high - 1));
  }
  return note(
             "Kendall's tau-b between the order of the weights and that of the magnitudes of other "
             "explanations, text by text; the share of texts where it is significant; and, of "
             "sparse weights, tau over the words with a weight above 0. A random order is the "
             "control.") +
         table(head, rows) + "<p>By the answer (texts in brackets)</p>" +
         table(class_head, classes) + "<p>By length</p>" + table(length_head, lengths);
}

std::string permutation(const AuditReport& report) {
  Rows rows;
  for (const auto& one : report.audit.permutations) {
    rows.push_back(cells(fmt::format("{:.2f} to {:.2f}", one.low, one.high), one.change));
  }
  return note(
             "The median move of the probabilities, mean over classes, when a text's weights are "
             "shuffled; by the largest weight.") +
         table(kMeanHead, rows);
}

std::string adversary(const AuditReport& report) {
  return note(fmt::format(
             "How far weights can be from the model's (Jensen-Shannon, in nats, at most 0.693) "
             "with "
             "the probability of the answer within {}. The first is exact, and its weights are on "
             "two words at most; the second deals the text's own weights to other words, so that "
             "entropy and support stay, and is a lower bound that swapping found.",
             report.epsilon)) +
         table(kMeanHead, {cells("any weights", report.audit.adversary),
                           cells("its own, dealt otherwise", report.audit.dealt)});
}

std::string uniform(const AuditReport& report) {
  return note("Answers that stay when every word has the same weight, of the model as it is.") +
         fmt::format("<p>{:.1f}% of {} answers stay.</p>\n", 100 * report.audit.uniform_keeps,
                     report.audit.texts);
}

std::string erasure(const AuditReport& report) {
  const explain::AttentionAudit& audit = report.audit;
  Rows rows;
  for (const auto& one : audit.erasures) {
    rows.push_back(cells(one.order, one.removed));
    rows.back().push_back(fmt::format("{:.2f}", one.never));
  }
  std::vector<std::string> head = kMeanHead;
  head.emplace_back("never");
  return note(
             "Words lose their weight in an order until the answer changes: the share of the text "
             "that has gone by then, 1 where it never changes.") +
         table(head, rows) +
         note(
             "One word erased: which of the two changes the answer, the one of most weight or a "
             "random other one?") +
         table(
             {"", "random does", "random does not"},
             {{"top does", std::to_string(audit.both), std::to_string(audit.only_top)},
              {"top does not", std::to_string(audit.only_random), std::to_string(audit.neither)}});
}

std::string curve(const AuditReport& report, bool alone) {
  std::vector<insight::PlotLine> lines;
  for (const auto& one : report.audit.removals) {
    insight::PlotLine& line = lines.emplace_back(insight::PlotLine{.name = one.order});
    const std::vector<double>& falls = alone ? one.sufficiency : one.comprehensiveness;
    for (std::size_t i = 0; i < falls.size(); ++i) {
      line.points.push_back({100 * explain::kAuditShares[i], falls[i], {}});
    }
  }
  return insight::line_svg(
      lines, {.title = alone ? "The largest words alone" : "Without the largest words",
              .x = {.label = "% of the words"},
              .y = {.label = "fall of the probability"}});
}

std::string removal(const AuditReport& report) {
  if (report.audit.removals.empty()) return note("Not asked.");
  Rows rows;
  for (const auto& one : report.audit.removals) {
    rows.push_back({one.order,
                    fmt::format("{:.3f} ± {:.3f}", one.mean_comprehensiveness.mean,
                                one.mean_comprehensiveness.interval()),
                    fmt::format("{:.3f} ± {:.3f}", one.mean_sufficiency.mean,
                                one.mean_sufficiency.interval())});
  }
  return note(
             "How far the probability of the answer falls when the words of largest share are "
             "taken "
             "out of the text and it is read again (comprehensiveness: more is better), and when "
             "they are all that is left (sufficiency: less is better); means over 1, 5, 10, 20 and "
             "50% of the words.") +
         table({"", "comprehensiveness", "sufficiency"}, rows) + curve(report, false) +
         curve(report, true);
}

std::string plausibility(const AuditReport& report) {
  if (report.audit.plausibilities.empty()) {
    return note("Without --evidence it is not known which words decide.");
  }
  Rows rows;
  for (const auto& one : report.audit.plausibilities) {
    rows.push_back(cells(one.order, one.precision));
    rows.back().push_back(fmt::format("{:.3f}", one.pooled));
    rows.back().push_back(fmt::format("{:.3f}", one.f1.mean));
    rows.back().push_back(fmt::format("{:.2f}", one.overlap));
  }
  std::vector<std::string> head = kMeanHead;
  head.insert(head.end(), {"all words", "F1", "overlap ≥ .5"});
  return note(fmt::format("Average precision on the words that decide, text by text and of "
                          "the words of all texts in one order, F1 of as many words as "
                          "decide, and the share of texts where the two overlap by half. {:.3f} of "
                          "the words decide: what chance gives.",
                          report.audit.evident)) +
         table(head, rows);
}

std::string states(const AuditReport& report) {
  std::string text =
      note(
          "Conicity: the mean cosine of a text's states with their mean. Where it is near 1 all "
          "states say the same, and so does any weighting of them.") +
      table(kMeanHead, {cells("conicity", report.conicity)});
  if (report.beside.empty()) return text;
  Rows rows;
  for (const pipeline::BesideModel& one : report.beside) {
    rows.push_back(
        {one.name, fmt::format("{:.3f} ± {:.3f}", one.weights.mean, one.weights.interval()),
         fmt::format("{:.3f} ± {:.3f}", one.probabilities.mean, one.probabilities.interval()),
         fmt::format("{:.1f}%", 100 * one.same)});
  }
  return text +
         note(
             "Models beside it on the same texts: the divergence of their weights is what every "
             "other divergence here has to be measured by.") +
         table({"model", "Jensen-Shannon of weights", "total variation of probabilities",
                "same answers"},
               rows);
}

std::string strip(const AuditExample& one, const std::vector<double>& shares) {
  double most = 0;
  for (const double share : shares) most = std::max(most, std::abs(share));
  std::string text = "<p class=\"text\">";
  for (std::size_t t = 0; t < one.words.size(); ++t) {
    const double share = t < shares.size() && most > 0 ? shares[t] / most : 0;
    text += fmt::format("<span style=\"background:rgba({},{:.2f})\" title=\"{:.4f}\">{}</span> ",
                        share < 0 ? "190,40,120" : "20,120,160", std::abs(share) * .6,
                        t < shares.size() ? shares[t] : 0.0, svg_escaped(one.words[t]));
  }
  return text + "</p>\n";
}

std::string examples(const AuditReport& report) {
  std::string text = note(
      "Teal speaks for the answer, magenta against it; the strongest word of each line has the "
      "full colour.");
  for (const AuditExample& one : report.examples) {
    text += fmt::format("<h3>{}</h3><p>{}</p>\n<p class=\"note\">attention</p>{}",
                        svg_escaped(one.heading), svg_escaped(one.answer), strip(one, one.weights));
    if (one.other.empty()) continue;
    text += fmt::format("<p class=\"note\">{}</p>{}",
                        svg_escaped(report.audit.agreements.front().with), strip(one, one.other));
  }
  return text;
}

}  // namespace

std::string AuditReport::how() const {
  std::string text = fmt::format("{} texts of {}", texts_read - passed_over, data);
  if (sampled()) {
    text +=
        fmt::format(", drawn from {} with seed {} in the time that was given", texts_given, seed);
  }
  if (passed_over > 0) {
    text += fmt::format("; {} without words to attend to passed over", passed_over);
  }
  text += fmt::format(
      ". Aspect {}. Special tokens are left out and the weights of words scaled to "
      "sum 1; what is undefined is counted and left out of the means. Intervals are "
      "of 95%, over texts.",
      aspect);
  if (!conventions.empty()) text += " Conventions: " + conventions + ".";
  return text;
}

std::string audit_page(const AuditReport& report) {
  std::string page = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; img-src data:\">\n"
      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>Audit of {0}</title>\n"
      "<style>{1}</style></head><body>\n<h1>May the attention of {0} be shown as an "
      "explanation?</h1>\n",
      svg_escaped(report.model), kStyle);
  page += verdict(report) + note(report.how());
  page += section("uniform", "Equal weights", uniform(report));
  page += section("permutation", "Shuffled weights", permutation(report));
  page += section("adversary", "An adversary", adversary(report));
  page += section("agreement", "Other explanations", agreement(report));
  page += section("erasure", "Erased words", erasure(report));
  page += section("removal", "Words taken out of the text", removal(report));
  page += section("plausibility", "Words that decide", plausibility(report));
  page += section("states", "States and seeds", states(report));
  page += section("examples", "Texts", examples(report));
  return page + "</body></html>\n";
}

}  // namespace heed::cli
