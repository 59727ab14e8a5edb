// Data of the report's page as one JSON object. The first part needs only a log and is regenerated
// repeatedly during a run; the second, about the network in the simulator, exists only after the
// network was run.
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
  const std::vector<Task>& tasks;           ///< tasks of the deployed network
  std::string log;                          ///< name of the log
  const NetworkFigures* network = nullptr;  ///< null: not run
  LibraryCounts library = {};               ///< empty: unknown
  bool live = false;                        ///< a run writes the log; the page polls
};

/// kUnsupported: no template takes one of the tasks on the device.
Result<std::string> page_data(const PageSubject& subject);

}  // namespace tinytune
