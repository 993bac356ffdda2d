// SPDX-License-Identifier: Apache-2.0
// ModelKeeper: which folders are served by which names, and how that changes while the server runs:
// all anew by a signal, one when its folder changes, one more or one less by request.
#pragma once

#include <filesystem>
#include <mutex>
#include <string>
#include <vector>

#include "server/engine/engine.h"
#include "server/engine/folder_watch.h"
#include "server/engine/served_model.h"
#include "server/http/log.h"
#include "server/http/metrics.h"

namespace heed::server {

// All calls may come from any thread; requests are answered meanwhile.
class ModelKeeper {
 public:
  static constexpr std::size_t kMostModels = 64;

  struct Setting {
    std::vector<ModelPlace> places{};
    std::vector<std::filesystem::path> roots{};  // see folder_below
    FolderWatch watch{};                         // that noted the folders before they were loaded
  };
  // The engine serves the models of these places already. All must outlive this.
  ModelKeeper(Setting setting, Engine& engine, Metrics& metrics, Log& log);

  // Loads all folders again, all or none: where one fails, the models stay and the log says why.
  void reload();
  // Loads each folder again that has changed and is at rest. One that cannot be loaded keeps its
  // model, is counted, and is tried again when it changes.
  void look();

  // Serves one more, from a folder below a root. HttpError 403 for another folder, 409 for a name
  // that is taken unless `replace` is set, 422 for one model too many; DataError for a folder that
  // cannot be loaded.
  ModelPointer add(const ModelPlace& place, bool replace);
  // HttpError 404 when there is none of this name.
  void remove(const std::string& name);

 private:
  bool serves(const std::filesystem::path& folder) const;
  // The models with this one in the place of that of its name, or at the end.
  void put(const ModelPointer& model);

  Engine& engine_;
  Metrics& metrics_;
  Log& log_;
  const std::vector<std::filesystem::path> roots_;
  std::mutex mutex_{};  // one change at a time
  std::vector<ModelPlace> places_;
  FolderWatch watch_;
};

}  // namespace heed::server
