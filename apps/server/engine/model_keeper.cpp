// SPDX-License-Identifier: Apache-2.0
// A change loads first and swaps then: what is served never lacks a model meanwhile.
#include "server/engine/model_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <set>
#include <span>
#include <utility>

#include "heed/base/text.h"
#include "server/engine/model_roots.h"
#include "server/http/http_error.h"

namespace heed::server {

ModelKeeper::ModelKeeper(Setting setting, Engine& engine, Metrics& metrics, Log& log)
    : engine_(engine),
      metrics_(metrics),
      log_(log),
      roots_(std::move(setting.roots)),
      places_(std::move(setting.places)),
      watch_(std::move(setting.watch)) {}

void ModelKeeper::reload() {
  const std::lock_guard lock(mutex_);
  ModelSet models;
  FolderWatch watch = watch_;  // counts once all are loaded
  for (const ModelPlace& place : places_) {
    try {
      watch.note(place.folder);
      models.push_back(load_models(std::span(&place, 1)).front());
    } catch (const std::exception& error) {
      metrics_.add_reload(place.name, false);
      log_.event(fmt::format("the models stay as they are: {}", error.what()));
      return;
    }
  }
  for (const ModelPlace& place : places_) metrics_.add_reload(place.name, true);
  const std::size_t count = models.size();
  engine_.replace(std::move(models));
  watch_ = std::move(watch);
  log_.event(fmt::format("reloaded {} model{}", count, count == 1 ? "" : "s"));
}

void ModelKeeper::look() {
  const std::lock_guard lock(mutex_);
  std::set<std::filesystem::path> folders;
  for (const ModelPlace& place : places_) folders.insert(place.folder);
  std::erase_if(folders, [&](const auto& folder) { return !watch_.changed(folder); });
  for (const ModelPlace& place : places_) {
    if (!folders.contains(place.folder)) continue;
    try {
      put(load_models(std::span(&place, 1)).front());
      metrics_.add_reload(place.name, true);
      log_.event(fmt::format("reloaded {}: its folder has changed", place.name));
    } catch (const std::exception& error) {
      metrics_.add_reload(place.name, false);
      log_.event(fmt::format("{} stays as it is: {}", place.name, error.what()));
    }
  }
}

bool ModelKeeper::serves(const std::filesystem::path& folder) const {
  return std::ranges::count(places_, folder, &ModelPlace::folder) > 0;
}

void ModelKeeper::put(const ModelPointer& model) {
  ModelSet models = *engine_.models();
  const auto found = std::ranges::find_if(
      models, [&](const ModelPointer& one) { return one->name == model->name; });
  if (found == models.end()) {
    models.push_back(model);
  } else {
    *found = model;
  }
  engine_.replace(std::move(models));
}

ModelPointer ModelKeeper::add(const ModelPlace& asked, bool replace) {
  const ModelPlace place{asked.name, folder_below(roots_, asked.folder.string())};
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(places_, place.name, &ModelPlace::name);
  if (found != places_.end() && !replace) {
    throw HttpError({.status = 409, .where = "/name"},
                    "there is a model \"{}\" already; give another \"name\", or \"replace\": true",
                    place.name);
  }
  if (found == places_.end() && places_.size() >= kMostModels) {
    throw HttpError({.status = 422, .where = "/folder"},
                    "{} models are served already; remove one first", places_.size());
  }
  ModelPointer model;
  // A change of a folder that another name serves is still to be noticed for that one.
  if (!serves(place.folder)) watch_.note(place.folder);
  try {
    model = load_models(std::span(&place, 1)).front();
  } catch (const std::exception& error) {
    if (found != places_.end()) metrics_.add_reload(place.name, false);
    if (!serves(place.folder)) watch_.forget(place.folder);
    log_.event(fmt::format("{} was not added: {}", place.name, error.what()));
    throw;
  }
  metrics_.add_reload(place.name, true);
  log_.event(fmt::format("{} {} from {}", found == places_.end() ? "added" : "replaced", place.name,
                         place.folder.string()));
  if (found == places_.end()) {
    places_.push_back(place);
  } else {
    const std::filesystem::path before = std::exchange(*found, place).folder;
    if (!serves(before)) watch_.forget(before);
  }
  put(model);
  return model;
}

void ModelKeeper::remove(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(places_, name, &ModelPlace::name);
  if (found == places_.end()) {
    std::vector<std::string> names;
    for (const ModelPlace& place : places_) names.push_back(place.name);
    throw HttpError({.status = 404, .where = name}, "there is no model \"{}\"{}", shorten(name, 60),
                    did_you_mean(name, names));
  }
  const std::filesystem::path folder = found->folder;
  places_.erase(found);
  if (!serves(folder)) watch_.forget(folder);
  ModelSet models = *engine_.models();
  std::erase_if(models, [&](const ModelPointer& model) { return model->name == name; });
  engine_.replace(std::move(models));
  log_.event(fmt::format("removed {}", name));
}

}  // namespace heed::server
