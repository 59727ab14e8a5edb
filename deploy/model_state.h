// What a public Model holds: the imported graph, what is executed of it, and its tasks, made once.
#pragma once

#include <string>
#include <vector>

#include "models/integer_network.h"
#include "models/tasks.h"
#include "tinytune/model.h"

namespace tinytune {

struct Model::State {
  std::string path;
  std::string sha256;      ///< of the file
  Graph graph;             ///< as imported: what the reference runs
  IntegerNetwork network;  ///< as executed: rewritten by graph passes
  std::vector<Task> tasks;
  ModelInfo info;
};

}  // namespace tinytune
