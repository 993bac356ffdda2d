// SPDX-License-Identifier: Apache-2.0
// Fuzz target of recipes.
#include "heed/pipeline/recipe.h"

#include "heed/base/fuzzing.h"

namespace heed::test {
namespace {

bool read_recipe_file(std::string_view bytes) {
  static MemoryFile file;
  file.hold(bytes);
  return accepted([&] {
    const pipeline::Recipe recipe = pipeline::read_recipe(file.path());
    require(!recipe.title.empty(), "a recipe without title");
    require(!recipe.task.empty() || !recipe.test.empty(), "a recipe that does nothing");
    require(!recipe.band.is_open() && !recipe.band.text().empty(), "a recipe without a figure");
  });
}

const FuzzTarget kRecipe("recipe", read_recipe_file);

}  // namespace
}  // namespace heed::test
