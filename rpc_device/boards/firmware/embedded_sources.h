// The firmware's sources, compiled into the program; the build writes the table (embed.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace tinytune::internal {

struct EmbeddedSource {
  std::string_view name, text;
};

const std::vector<EmbeddedSource>& embedded_sources();

}  // namespace tinytune::internal
