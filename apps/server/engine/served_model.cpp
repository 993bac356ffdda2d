// SPDX-License-Identifier: Apache-2.0
// Folders to models, and models by their names.
#include "server/engine/served_model.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <future>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/examples.h"
#include "heed/pipeline/model_kind.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

double seconds_since_1970() {
  const auto time = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(time).count();
}

}  // namespace

bool is_model_name(std::string_view name) {
  return !name.empty() && name.size() <= 100 && std::ranges::all_of(name, [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '.' ||
           letter == '-' || letter == '_';
  });
}

ModelPlace model_place(const std::string& written) {
  ModelPlace place;
  const std::size_t sign = written.find('=');
  if (sign != written.npos && written.find('/') > sign) {
    place = {written.substr(0, sign), written.substr(sign + 1)};
  } else {
    place.folder = written;
    const std::filesystem::path plain = std::filesystem::absolute(written).lexically_normal();
    place.name = (plain.has_filename() ? plain : plain.parent_path()).filename().string();
  }
  if (!is_model_name(place.name)) {
    throw UsageError(
        "{}: \"{}\" cannot be a model's name; NAME=FOLDER gives it one of at most 100 letters, "
        "digits, '.', '-' and '_'",
        written, place.name);
  }
  return place;
}

std::vector<ModelPlace> model_places(std::span<const std::string> written) {
  std::vector<ModelPlace> places;
  for (const std::string& one : written) {
    ModelPlace place = model_place(one);
    if (std::ranges::find(places, place.name, &ModelPlace::name) != places.end()) {
      throw UsageError("{}: there is a model \"{}\" already; NAME=FOLDER gives it another name",
                       one, place.name);
    }
    places.push_back(std::move(place));
  }
  return places;
}

const std::string& ServedModel::task() const {
  return model->kind().name;
}

ModelPointer load_model(const ModelPlace& place) {
  const auto start = std::chrono::steady_clock::now();
  auto served = std::make_shared<ServedModel>();
  served->name = place.name;
  served->model = pipeline::open_model(place.folder);
  served->parameters = served->model->parameter_count();
  served->examples = pipeline::read_examples(place.folder);
  served->load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  served->loaded_at = seconds_since_1970();
  return served;
}

// On a thread of its own, with which the OpenMP threads that loading starts go away. While they
// exist, libgomp sees more threads than cores and lets those of the engine sleep at every barrier:
// 254 requests a second instead of 411.
ModelSet load_models(std::span<const ModelPlace> places) {
  const auto load = [places] {
    ModelSet models;
    for (const ModelPlace& place : places) models.push_back(load_model(place));
    return models;
  };
  return std::async(std::launch::async, load).get();
}

ModelPointer find_model(const ModelSet& models, const std::string& name,
                        std::span<const std::string> kinds) {
  std::vector<std::string> names;
  for (const ModelPointer& model : models) {
    const bool can = std::ranges::count(kinds, model->task()) > 0;
    if (name.empty() ? can : model->name == name) {
      if (can) return model;
      throw HttpError({.status = 400, .where = "/model"},
                      "the model \"{}\" is for {}; this route takes one for {}", name,
                      model->task(), join(kinds, " or "));
    }
    names.push_back(model->name);
  }
  if (name.empty()) {
    throw HttpError({.status = 404, .where = "/model"}, "no model for {} is served here",
                    join(kinds, " or "));
  }
  throw HttpError({.status = 404, .where = "/model"}, "there is no model \"{}\"{}; {}", name,
                  did_you_mean(name, names),
                  names.empty() ? "none is served" : "there are " + join(names, ", "));
}

}  // namespace heed::server
