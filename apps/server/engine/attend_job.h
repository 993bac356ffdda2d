// SPDX-License-Identifier: Apache-2.0
// AttendJob: a written mechanism on numbers of a request, as `heed attend` runs it on those of a
// file.
#pragma once

#include <nlohmann/json.hpp>

#include "server/engine/job.h"

namespace heed::server {

class AttendJob final : public Job {
 public:
  AttendJob(JobSetting setting, nlohmann::json body)
      : Job(std::move(setting)), body_(std::move(body)) {}
  void run(std::span<const Pointer> batch) override;
  nlohmann::ordered_json answer() const { return answer_; }

 private:
  void attend();

  nlohmann::json body_;
  nlohmann::ordered_json answer_{};
};

}  // namespace heed::server
