// SPDX-License-Identifier: Apache-2.0
// Trains a small translator on a built-in corpus, then uses its folder as any program would.
#include <cstdio>

#include "heed/corpora/corpus_files.h"
#include "heed/pipeline/translate/translation_options.h"
#include "heed/pipeline/translate/translator.h"

using namespace heed;

int main() {
  const corpora::Corpus corpus = corpora::make_corpus("dates", {.size = 4000});
  corpora::write_corpus(corpus, corpora::find_corpus("dates"), "dates");

  pipeline::TranslationOptions options;
  options.list.read_toml_text(R"(
out = "dates/model"
train-source = "dates/train.text"
train-target = "dates/train.iso"
valid-source = "dates/valid.text"
valid-target = "dates/valid.iso"
tokeniser = "characters"
model = "seq2seq"
attention = "additive"
encoder-layers = 1
decoder-layers = 1
embedding = 32
hidden = 96
dropout = 0.0
tie = "none"
learning-rate = 0.004
schedule = "cosine"
decay-updates = 400
warm-up = 50
max-updates = 400
clip-norm = 1.0
batch-tokens = 1000
validate-every = "200"
valid-metrics = ["exact"]
)",
                              "example");
  pipeline::train(options, [](std::string_view) {});

  const pipeline::Translator translator("dates/model");
  for (const char* date : {"3 May 1998", "July 14, 1989", "the 1st of December 2024"}) {
    const pipeline::Translation best = translator.translate(date, {.attention = true});
    std::printf("%-26s -> %s\n", date, best.text.c_str());
  }
  int right = 0;
  for (const corpora::Example& example : corpus.test) {
    right += translator.translate(example.source).text == example.target ? 1 : 0;
  }
  std::printf("%d of %zu unseen dates are right\n", right, corpus.test.size());
  return right * 10 > static_cast<int>(corpus.test.size()) * 9 ? 0 : 1;
}
