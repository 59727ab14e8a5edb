// What the report's page shows, as one JSON object: the page draws it and computes nothing that a
// log does not say. Its first half needs a log alone and is made again and again during a run; the
// second, the network in the simulator, is there once somebody ran it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/library_counts.h"
#include "cli/network_figures.h"
#include "deploy/knowledge/applicable_records.h"
#include "models/tasks.h"
#include "tinytune/model.h"
#include "tinytune/result.h"

namespace tinytune {

struct PageSubject {
  const Model& model;
  const Ground& ground;                     ///< the device and the log's records of it
  const std::vector<Task>& tasks;           ///< of what is deployed
  std::string log;                          ///< its name
  const NetworkFigures* network = nullptr;  ///< null: not run
  LibraryCounts library = {};               ///< empty: not known
  bool live = false;                        ///< a run writes the log: ask again
};

/// kUnsupported: no template takes one of the tasks on the device.
Result<std::string> page_data(const PageSubject& subject);

}  // namespace tinytune
