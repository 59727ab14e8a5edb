# Writes OUTPUT, a C++ file that holds the text of every device file in FILES.
# A raw string literal may not pass 64 KiB on some compilers; device files are a few KiB.
set(rows "")
foreach(file IN LISTS FILES)
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" text)
  string(APPEND rows "    {\"${name}\", R\"toml(${text})toml\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Written by devices/embed.cmake from devices/*.toml.
#include \"devices/embedded_devices.h\"

namespace tinytune::internal {

const std::vector<EmbeddedDevice>& embedded_devices() {
  static const std::vector<EmbeddedDevice> kDevices = {
${rows}  };
  return kDevices;
}

}  // namespace tinytune::internal
")
