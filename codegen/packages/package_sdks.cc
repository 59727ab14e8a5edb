// Packages for SDKs that supply the compiler's flags and the start-up code: PlatformIO, pico-sdk,
// and the CMake projects that STM32CubeMX generates.
#include <nlohmann/json.hpp>

#include "codegen/operators/c_writer.h"
#include "codegen/packages/package_parts.h"

namespace tinytune {
namespace {

using Json = nlohmann::ordered_json;

/// A library with the SDK's flags; no project of its own, which would look for compilers again.
std::string library_in_project(const PackageParts& parts, const Files& files) {
  const std::string& name = parts.network.name;
  return title(parts) + "add_library(" + name + " STATIC" + source_list(files, "\n  ") +
         ")\ntarget_include_directories(" + name +
         " PUBLIC ${CMAKE_CURRENT_LIST_DIR})\nset_target_properties(" + name +
         " PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)\ntarget_compile_options(" + name +
         " PRIVATE -O2)\n";
}

}  // namespace

Files platformio(const PackageParts& parts, Files files) {
  const std::string& name = parts.network.name;
  const std::vector<Program> programs = programs_in(files);
  for (GeneratedFile& file : files) {
    if (is_program(file)) {
      const std::string stem = program_of(file).stem;
      file.name = "examples/" + stem + "/src/" + stem + ".c";
    } else {
      file.name = "src/" + file.name;
    }
  }
  // PlatformIO compiles a project that its environment describes; no board is in the package.
  for (const Program& program : programs)
    files.push_back({"examples/" + program.stem + "/platformio.ini",
                     "; " + program.stem + kGenerated +
                         "; PIO_PLATFORM, PIO_BOARD and PIO_FRAMEWORK name the board.\n"
                         "[env:board]\nplatform = ${sysenv.PIO_PLATFORM}\n"
                         "board = ${sysenv.PIO_BOARD}\nframework = ${sysenv.PIO_FRAMEWORK}\n"
                         "lib_deps = symlink://../..\n"});
  Json manifest = {{"name", name},
                   {"version", parts.identity.version},
                   {"description", name + ", a neural network as a C library"}};
  if (!parts.identity.url.empty()) manifest["homepage"] = parts.identity.url;
  if (!parts.identity.licence.empty()) manifest["license"] = parts.identity.licence;
  manifest["frameworks"] = "*";
  manifest["platforms"] = parts.device.idf_target.empty() ? "*" : "espressif32";
  manifest["headers"] = name + ".h";
  // Frameworks compile for size, and the last of two -O options wins.
  manifest["build"] = {{"flags", {"-O2"}}, {"unflags", {"-Os", "-Og"}}};
  files.push_back({"library.json", manifest.dump(2) + "\n"});
  return files;
}

Files pico_sdk(const PackageParts& parts, Files files) {
  const std::string& name = parts.network.name;
  const std::vector<Program> programs = programs_in(files);
  files.push_back({"CMakeLists.txt", library_in_project(parts, files)});
  for (const Program& program : programs)
    files.push_back({program.folder + "/CMakeLists.txt",
                     title(parts) +
                         "cmake_minimum_required(VERSION 3.13)\n"
                         "include($ENV{PICO_SDK_PATH}/external/pico_sdk_import.cmake)\n"
                         "project(" +
                         program.stem +
                         " C CXX ASM)\nset(CMAKE_C_STANDARD 11)\npico_sdk_init()\n"
                         "add_subdirectory(.. " +
                         name + ")\nadd_executable(" + program.stem + " " + program.stem +
                         ".c)\ntarget_link_libraries(" + program.stem + " " + name +
                         " pico_stdlib)\npico_enable_stdio_usb(" + program.stem +
                         " 1)\npico_enable_stdio_uart(" + program.stem +
                         " 1)\npico_add_extra_outputs(" + program.stem + ")\n"});
  return files;
}

// The project has a main() of its own, which calls the programs' functions.
Files stm32cube(const PackageParts& parts, Files files) {
  std::string text = library_in_project(parts, files);
  for (const Program& program : programs_in(files))
    text += "\n# " + program.stem + "() for the project's main().\nadd_library(" + program.stem +
            " STATIC EXCLUDE_FROM_ALL " + program.folder + "/" + program.stem +
            ".c)\ntarget_link_libraries(" + program.stem + " PRIVATE " + parts.network.name +
            ")\ntarget_compile_definitions(" + program.stem + " PRIVATE " +
            c_upper(parts.network.name) + "_WITHOUT_MAIN)\nset_target_properties(" + program.stem +
            " PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)\n";
  files.push_back({"CMakeLists.txt", text});
  return files;
}

}  // namespace tinytune
