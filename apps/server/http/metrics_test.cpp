// SPDX-License-Identifier: Apache-2.0
#include "server/http/metrics.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "heed/base/text.h"

namespace heed::server {
namespace {

std::string counted() {
  Metrics metrics;
  metrics.add_request({"/v1/translate", "en-fr", 200}, .004);
  metrics.add_request({"/v1/translate", "en-fr", 200}, .2);
  metrics.add_request({"/v1/translate", "", 503}, .0001);
  metrics.add_request({"unread", "", 503}, 0);
  metrics.add_batch("en-fr", 3, 60);
  metrics.add_batch("", 1, 5);
  metrics.add_written("tales", 7);
  metrics.add_reload("tales", false);
  return metrics.text({.queue = 2,
                       .generations = 1,
                       .connections = 5,
                       .ready = true,
                       .models = {{.name = "en-fr",
                                   .task = "translate",
                                   .parameters = 123,
                                   .load_seconds = .5,
                                   .loaded_at = 1000,
                                   .waiting = 2}}});
}

TEST(Metrics, CountByRouteModelAndStatus) {
  const std::string text = counted();
  for (const char* line :
       {"heed_requests_total{route=\"/v1/translate\",model=\"en-fr\",status=\"200\"} 2\n",
        "heed_requests_total{route=\"/v1/translate\",model=\"\",status=\"503\"} 1\n",
        "heed_requests_total{route=\"unread\",model=\"\",status=\"503\"} 1\n",
        "heed_request_seconds_bucket{route=\"/v1/translate\",model=\"en-fr\",le=\"0.001\"} 0\n",
        "heed_request_seconds_bucket{route=\"/v1/translate\",model=\"en-fr\",le=\"0.005\"} 1\n",
        "heed_request_seconds_bucket{route=\"/v1/translate\",model=\"en-fr\",le=\"+Inf\"} 2\n",
        "heed_request_seconds_count{route=\"/v1/translate\",model=\"en-fr\"} 2\n",
        "heed_request_seconds_sum{route=\"/v1/translate\",model=\"en-fr\"} 0.204000\n",
        "heed_batch_requests_bucket{model=\"en-fr\",le=\"2\"} 0\n",
        "heed_batch_requests_bucket{model=\"en-fr\",le=\"4\"} 1\n",
        "heed_batch_tokens_sum{model=\"en-fr\"} 60.000000\n",
        "heed_tokens_total{model=\"en-fr\"} 60\n", "heed_tokens_total{model=\"\"} 5\n",
        "heed_written_tokens_total{model=\"tales\"} 7\n",
        "heed_reloads_total{model=\"tales\",outcome=\"failed\"} 1\n",
        "heed_reloads_total{model=\"tales\",outcome=\"loaded\"} 0\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
}

TEST(Metrics, SayWhatThisBuildIsAndWhatItServes) {
  const std::string text = counted();
  for (const char* line :
       {"heed_build_info{version=\"", "\",target=\"", "\",real=\"float\"} 1\n", "heed_ready 1\n",
        "heed_model_info{model=\"en-fr\",task=\"translate\"} 1\n",
        "heed_model_parameters{model=\"en-fr\"} 123\n",
        "heed_model_load_seconds{model=\"en-fr\"} 0.500000\n",
        "heed_model_loaded_timestamp_seconds{model=\"en-fr\"} 1000.000\n",
        "heed_model_queue_length{model=\"en-fr\"} 2\n", "heed_queue_length 2\n",
        "heed_generations 1\n", "heed_connections 5\n", "\nheed_resident_bytes "}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
  }
}

// What Prometheus refuses: a metric whose lines are not together, one without its TYPE, and a line
// that is given twice.
TEST(Metrics, ReadAsPrometheusText) {
  std::set<std::string> lines;
  std::set<std::string> done;
  std::string family;
  std::string type;
  const std::string text = counted();
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty()) continue;
    EXPECT_TRUE(lines.insert(std::string(line.substr(0, line.rfind(' ')))).second) << line;
    const std::vector<std::string_view> words = split(line, ' ');
    if (line.starts_with("# HELP ")) {
      family = words[2];
      EXPECT_TRUE(done.insert(family).second) << line;
    } else if (line.starts_with("# TYPE ")) {
      EXPECT_EQ(words[2], family);
      type = words[3];
      EXPECT_EQ(type == "counter", family.ends_with("_total")) << line;
    } else {
      std::string name(line.substr(0, line.find_first_of("{ ")));
      for (const char* end : {"_bucket", "_sum", "_count"}) {
        if (type == "histogram" && name.ends_with(end)) name.resize(name.size() - std::strlen(end));
      }
      EXPECT_EQ(name, family) << line;
    }
  }
}

TEST(Histogram, PutsAValueOnABoundBelowIt) {
  Histogram histogram({1, 2});
  histogram.add(1);
  histogram.add(3);
  EXPECT_EQ(histogram.lines("x", ""),
            "x_bucket{le=\"1\"} 1\nx_bucket{le=\"2\"} 1\nx_bucket{le=\"+Inf\"} 2\n"
            "x_sum 4.000000\nx_count 2\n");
}

}  // namespace
}  // namespace heed::server
