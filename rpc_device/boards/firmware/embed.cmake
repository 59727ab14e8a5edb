# Writes OUTPUT, a C++ file that holds the text of the firmware's sources FILES.
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME)
  file(READ "${file}" text)
  string(APPEND rows "    {\"${name}\", R\"source(${text})source\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by rpc_device/boards/firmware/embed.cmake from the firmware's sources.
#include \"rpc_device/boards/firmware/embedded_sources.h\"

namespace tinytune::internal {

const std::vector<EmbeddedSource>& embedded_sources() {
  static const std::vector<EmbeddedSource> kSources = {
${rows}  };
  return kSources;
}

}  // namespace tinytune::internal
")
