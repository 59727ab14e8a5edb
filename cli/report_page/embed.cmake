# Writes OUTPUT, a C++ file that holds the page's files: those of PAGE, the scripts of SCRIPTS one
# after the other, and CHART_LIBRARY, which may be empty where it could not be had.
set(script "")
foreach(file IN LISTS SCRIPTS)
  file(READ "${file}" text)
  string(APPEND script "${text}")
endforeach()
file(READ "${PAGE}/page.html" html)
file(READ "${PAGE}/page.css" style)
file(READ "${CHART_LIBRARY}" chart_library)
file(WRITE "${OUTPUT}" "// Written by cli/report_page/embed.cmake.
#include \"cli/report_page/assets.h\"

namespace tinytune::internal {

const PageAssets& page_assets() {
  static const PageAssets kAssets = {
      R\"asset(${html})asset\",
      R\"asset(${style})asset\",
      R\"asset(${script})asset\",
      R\"asset(${chart_library})asset\"};
  return kAssets;
}

}  // namespace tinytune::internal
")
