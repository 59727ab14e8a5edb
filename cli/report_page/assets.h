// The files of this folder, compiled in.
#pragma once

#include <string>

namespace tinytune::internal {

struct PageAssets {
  std::string html;           ///< with places @style@, @script@, @chart_library@ and @data@
  std::string style, script;  ///< all scripts, in order
  std::string chart_library;  ///< empty where the build could not have it
};

const PageAssets& page_assets();

}  // namespace tinytune::internal
