// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/page/page.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/base64.h"
#include "heed/base/random.h"
#include "heed/base/testing.h"
#include "heed/insight/page/web_files.h"

namespace heed::insight {
namespace {

using nlohmann::json;
using test::message_of;

TraceDocument document_of(std::vector<std::string> tokens) {
  const auto count = static_cast<std::int64_t>(tokens.size());
  TracedExample example;
  example.strips = {{.name = "text", .tokens = std::move(tokens)}};
  example.attentions = {{.kind = "encoder self",
                         .queries = "text",
                         .keys = "text",
                         .heads = {{.weights = Tensor::full({count, count}, Real{.5})}}}};
  return {.model = "demo", .examples = {example}};
}

// Between the first `begin` and the `end` that follows it.
std::string part_of(const std::string& page, const std::string& begin, const std::string& end) {
  const std::size_t from = page.find(begin);
  EXPECT_NE(from, std::string::npos) << begin;
  const std::size_t first = from + begin.size();
  return page.substr(first, page.find(end, first) - first);
}

json header_of(const std::string& page) {
  return json::parse(
      part_of(page, "<script type=\"application/json\" id=\"header\">", "</script>"));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(Page, HoldsTheHeaderAndABlockForEachHead) {
  const std::string text = page(document_of({"a", "b"}));
  const json header = header_of(text);
  EXPECT_EQ(header["title"], "demo");
  const json& head = header["examples"][0]["attentions"][0]["heads"][0];
  EXPECT_EQ(head["scale"], 0.5);
  EXPECT_EQ(head["entropy"], 1.0);
  EXPECT_EQ(head["density"], 1.0);
  EXPECT_EQ(base64_decode(part_of(text, "id=\"weights-0-0-0\">", "</script>")), "\xFE\xFE\xFE\xFE");
}

TEST(Page, KeepsTwoBytesAWeightWhenAsked) {
  const std::string text = page(document_of({"a"}), {.precision = 16});
  EXPECT_EQ(header_of(text)["precision"], 16);
  EXPECT_EQ(base64_decode(part_of(text, "id=\"weights-0-0-0\">", "</script>")), "\xFE\xFF");
  EXPECT_EQ(message_of<UsageError>([] { page(document_of({"a"}), {.precision = 12}); }),
            "page: a precision of 12 bits: it takes 8 or 16");
}

TEST(Page, RunsNothingThatATokenSays) {
  const std::vector<std::string> hostile = {"<script>alert(1)</script>",
                                            "</script><script>alert(2)</script>",
                                            "<!--<script>",
                                            "<img src=x onerror=alert(3)>",
                                            "\"'&`@title@\\",
                                            "\u2028\u2029"};
  const std::string plain = page(document_of({"a", "b", "c", "d", "e", "f"}));
  TraceDocument document = document_of(hostile);
  document.model = "</title><script>alert(4)</script>";
  const std::string text = page(document, {});
  EXPECT_EQ(count_of(text, "<script"), count_of(plain, "<script"));
  EXPECT_EQ(count_of(text, "</script"), count_of(plain, "</script"));
  EXPECT_EQ(count_of(text, "<!--"), count_of(plain, "<!--"));
  EXPECT_EQ(count_of(text, "<img"), count_of(plain, "<img"));
  EXPECT_EQ(text.find("\u2028"), std::string::npos);
  EXPECT_EQ(header_of(text)["examples"][0]["strips"][0]["tokens"], json(hostile))
      << "what is shown is what the trace says";
}

TEST(Page, AsksForNothingFromElsewhere) {
  const std::string text = page(document_of({"a"}));
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(text.find(" src=\"http"), std::string::npos);
  EXPECT_EQ(text.find("url("), std::string::npos);
}

TEST(Page, IsTheSameForTheSameTrace) {
  EXPECT_EQ(page(document_of({"a", "b"})), page(document_of({"a", "b"})));
}

TEST(Page, RefusesADocumentThatDoesNotHoldTogether) {
  TraceDocument document = document_of({"a", "b"});
  document.examples[0].strips[0].tokens.pop_back();
  EXPECT_THROW(page(document), UsageError);
}

TEST(Page, Of144HeadsOf128TokensStaysBelowFourMegabytes) {
  std::vector<std::string> tokens(128, "token");
  TraceDocument document = document_of(tokens);
  Random random(1);
  auto& heads = document.examples[0].attentions[0].heads;
  heads.clear();
  for (int i = 0; i < 144; ++i) {
    Tensor weights({128, 128});
    for (Real* w = weights.mutable_data(); w != weights.data() + weights.size(); ++w) {
      *w = static_cast<Real>(random.uniform());
    }
    heads.push_back({.layer = i / 12, .head = i % 12, .weights = weights});
  }
  const std::size_t bytes = page(document).size();
  std::printf("12 x 12 heads of 128 tokens: %.2f MB\n", static_cast<double>(bytes) / 1e6);
  EXPECT_LT(bytes, 4'000'000u);
}

TEST(WebFiles, AreEmbeddedWithEveryModuleThatAnotherImports) {
  std::vector<std::string> names;
  for (const WebFile& file : web_files()) names.emplace_back(file.name);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  for (const WebFile& file : web_files()) {
    const std::string text(file.text);
    for (std::size_t at = text.find("from 'heed/"); at != std::string::npos;
         at = text.find("from 'heed/", at + 1)) {
      const std::size_t first = at + std::string("from 'heed/").size();
      const std::string name = text.substr(first, text.find('\'', first) - first);
      EXPECT_EQ(std::ranges::count(names, name), 1) << file.name << " imports " << name;
    }
  }
}

}  // namespace
}  // namespace heed::insight
