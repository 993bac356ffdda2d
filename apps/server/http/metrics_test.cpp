// SPDX-License-Identifier: Apache-2.0
#include "server/http/metrics.h"

#include <gtest/gtest.h>

namespace heed::server {
namespace {

TEST(Metrics, CountAndReadAsPrometheusText) {
  Metrics metrics;
  metrics.add_request("/v1/translate", 200, .004);
  metrics.add_request("/v1/translate", 200, .2);
  metrics.add_request("/v1/translate", 503, .0001);
  metrics.add_batch(3, 60);
  metrics.add_written(7);
  metrics.add_reload(false);
  const std::string text = metrics.text({.queue = 2, .generations = 1, .connections = 5});
  for (const char* line :
       {"heed_requests_total{route=\"/v1/translate\",status=\"200\"} 2\n",
        "heed_requests_total{route=\"/v1/translate\",status=\"503\"} 1\n",
        "heed_request_seconds_bucket{route=\"/v1/translate\",le=\"0.001\"} 1\n",
        "heed_request_seconds_bucket{route=\"/v1/translate\",le=\"0.005\"} 2\n",
        "heed_request_seconds_bucket{route=\"/v1/translate\",le=\"+Inf\"} 3\n",
        "heed_request_seconds_count{route=\"/v1/translate\"} 3\n",
        "heed_request_seconds_sum{route=\"/v1/translate\"} 0.204100\n",
        "heed_batch_requests_bucket{le=\"2\"} 0\n", "heed_batch_requests_bucket{le=\"4\"} 1\n",
        "heed_batch_tokens_sum 60.000000\n", "heed_tokens_total 60\n",
        "heed_written_tokens_total 7\n", "heed_reloads_total{outcome=\"failed\"} 1\n",
        "heed_reloads_total{outcome=\"well\"} 0\n", "heed_queue_length 2\n", "heed_generations 1\n",
        "heed_connections 5\n", "# TYPE heed_request_seconds histogram\n",
        "\nheed_resident_bytes "}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
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
