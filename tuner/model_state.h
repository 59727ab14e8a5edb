// What a public Model holds: the imported graph and its tasks, made once.
#pragma once

#include <string>
#include <vector>

#include "models/graph.h"
#include "models/tasks.h"
#include "tinytune/model.h"

namespace tinytune {

struct Model::State {
  std::string path;
  Graph graph;
  std::vector<Task> tasks;
  ModelInfo info;
};

}  // namespace tinytune
