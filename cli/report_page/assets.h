// The files of this folder, compiled into the program.
#pragma once

#include <string>

namespace tinytune::internal {

struct PageAssets {
  std::string html;           ///< with placeholders @style@, @script@, @chart_library@, @data@
  std::string style, script;  ///< the style; all scripts, in order
  std::string chart_library;  ///< empty if it was not available to the build
};

const PageAssets& page_assets();

}  // namespace tinytune::internal
