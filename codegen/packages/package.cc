// Build files around the same sources, one function for each build system.
#include "codegen/packages/package.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "codegen/operators/outside_text.h"
#include "codegen/packages/build_id.h"
#include "codegen/packages/package_parts.h"

namespace tinytune {

std::string source_list(const Files& files, const std::string& before) {
  std::string list;
  for (const GeneratedFile& file : files)
    if (file.role == FileRole::kSource) list += before + file.name;
  return list;
}

bool is_program(const GeneratedFile& file) {
  return file.role == FileRole::kTest || file.role == FileRole::kBench;
}

Program program_of(const GeneratedFile& file) {
  const size_t slash = file.name.find('/');
  const std::string name = file.name.substr(slash + 1);
  return {file.name.substr(0, slash), name.substr(0, name.size() - 2),
          file.role == FileRole::kBench};
}

std::vector<Program> programs_in(const Files& files) {
  std::vector<Program> programs;
  for (const GeneratedFile& file : files)
    if (is_program(file)) programs.push_back(program_of(file));
  return programs;
}

std::string title(const PackageParts& parts) {
  return "# " + parts.network.name + " for " + in_hash_comment(parts.device.name) + kGenerated;
}

namespace {

Files cmake(const PackageParts& parts, Files files) {
  std::string programs;
  for (const Program& program : programs_in(files))
    programs +=
        "\n# A program: give it your start-up code through CMAKE_EXE_LINKER_FLAGS.\n"
        "add_executable(" +
        program.stem + " EXCLUDE_FROM_ALL " + program.folder + "/" + program.stem +
        ".c)\ntarget_link_libraries(" + program.stem + " PRIVATE " + parts.network.name +
        ")\nset_target_properties(" + program.stem +
        " PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)\n";
  files.push_back(
      {"CMakeLists.txt",
       title(parts) + "cmake_minimum_required(VERSION 3.13)\nproject(" + parts.network.name +
           " LANGUAGES C ASM)\n\nadd_library(" + parts.network.name + " STATIC" +
           source_list(files, "\n  ") + ")\ntarget_include_directories(" + parts.network.name +
           " PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\nset_target_properties(" + parts.network.name +
           " PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)\n"
           "target_compile_options(" +
           parts.network.name + " PRIVATE -O2)\n" + programs});
  return files;
}

// A component: put the directory under components/, or name it in EXTRA_COMPONENT_DIRS.
Files esp_idf(const PackageParts& parts, Files files) {
  std::string sources;
  for (const GeneratedFile& file : files)
    if (file.role == FileRole::kSource) sources += "\n  \"" + file.name + "\"";
  files.push_back({"CMakeLists.txt", title(parts) + "idf_component_register(\n  SRCS" + sources +
                                         "\n  INCLUDE_DIRS \".\")\n"
                                         "target_compile_options(${COMPONENT_LIB} PRIVATE -O2)\n"});
  const std::string& chip = parts.device.idf_target;
  const auto quoted = [](const std::string& key, const std::string& value) {
    return value.empty() ? "" : key + ": \"" + value + "\"\n";
  };
  files.push_back(
      {"idf_component.yml",
       title(parts) + quoted("version", parts.identity.version) +
           quoted("description", parts.network.name + ", a neural network as a C library") +
           quoted("url", parts.identity.url) + quoted("license", parts.identity.licence) +
           (chip.empty() ? "" : "targets: [" + chip + "]\n") +
           "dependencies:\n  idf: \">=4.4\"\n"});
  for (const Program& program : programs_in(files)) {
    files.push_back({program.folder + "/CMakeLists.txt",
                     title(parts) +
                         "cmake_minimum_required(VERSION 3.16)\n"
                         "set(EXTRA_COMPONENT_DIRS \"${CMAKE_CURRENT_LIST_DIR}/..\")\n"
                         "include($ENV{IDF_PATH}/tools/cmake/project.cmake)\nproject(" +
                         program.stem + ")\n"});
    files.push_back(
        {program.folder + "/main/CMakeLists.txt",
         title(parts) + "idf_component_register(SRCS \"../" + program.stem + ".c\")\n"});
  }
  return files;
}

// A module: name the directory in ZEPHYR_EXTRA_MODULES.
Files zephyr(const PackageParts& parts, Files files) {
  files.push_back({"zephyr/module.yml",
                   title(parts) + "name: " + parts.network.name + "\nbuild:\n  cmake: zephyr\n"});
  files.push_back({"zephyr/CMakeLists.txt", title(parts) + "zephyr_library_named(" +
                                                parts.network.name + ")\nzephyr_library_sources(" +
                                                source_list(files, "\n  ../") +
                                                ")\nzephyr_library_compile_options(-O2)\n"
                                                "zephyr_include_directories(..)\n"});
  for (const Program& program : programs_in(files)) {
    files.push_back({program.folder + "/CMakeLists.txt",
                     title(parts) +
                         "cmake_minimum_required(VERSION 3.20)\n"
                         "list(APPEND ZEPHYR_EXTRA_MODULES \"${CMAKE_CURRENT_LIST_DIR}/..\")\n"
                         "find_package(Zephyr REQUIRED HINTS $ENV{ZEPHYR_BASE})\nproject(" +
                         program.stem + " LANGUAGES C ASM)\ntarget_sources(app PRIVATE " +
                         program.stem + ".c)\n"});
    files.push_back({program.folder + "/prj.conf", title(parts) + "CONFIG_MAIN_STACK_SIZE=8192\n"});
  }
  return files;
}

Files arduino(const PackageParts& parts, Files files) {
  const std::vector<Program> programs = programs_in(files);
  for (GeneratedFile& file : files) {
    if (is_program(file)) {
      const std::string stem = program_of(file).stem;
      file.name = "examples/" + stem + "/" + stem + ".c";
    } else {
      file.name = "src/" + file.name;
    }
  }
  for (const Program& program : programs)
    files.push_back({"examples/" + program.stem + "/" + program.stem + ".ino",
                     "// " + program.stem + kGenerated + "#include <" + parts.network.name +
                         ".h>\n\nextern \"C\" int " + program.stem + "(void);\n" +
                         (program.prints ? "extern \"C\" void " + program.stem +
                                               "_print(const char *text) { Serial.print(text); }\n"
                                         : "") +
                         "\nvoid setup() {\n  Serial.begin(115200);\n  while (!Serial) {\n  }\n"
                         "  Serial.println(" +
                         program.stem + "() == 0 ? \"PASS\" : \"FAIL\");\n}\n\nvoid loop() {}\n"});
  files.push_back({"library.properties",
                   "name=" + parts.network.name + "\nversion=" + parts.identity.version +
                       "\nauthor=tinytune\nmaintainer=tinytune\n" +
                       "sentence=A neural network as a C library.\nparagraph=Generated for " +
                       in_properties(parts.device.name) +
                       ".\ncategory=Data Processing\nurl=" + parts.identity.url +
                       "\narchitectures=" + (parts.device.idf_target.empty() ? "*" : "esp32") +
                       "\nincludes=" + parts.network.name + ".h\n"});
  return files;
}

struct Row {
  PackageFormat format;
  std::string_view name;
  Files (*arrange)(const PackageParts&, Files);
  std::string (*steps)(const PackageParts&);  ///< how to use them, for the README
};
constexpr std::array<Row, 8> kFormats = {
    {{PackageFormat::kCmake, "cmake", cmake, cmake_steps},
     {PackageFormat::kEspIdf, "esp-idf", esp_idf, esp_idf_steps},
     {PackageFormat::kZephyr, "zephyr", zephyr, zephyr_steps},
     {PackageFormat::kArduino, "arduino", arduino, arduino_steps},
     {PackageFormat::kMlf, "mlf", arrange_mlf, mlf_steps},
     {PackageFormat::kPlatformio, "platformio", platformio, platformio_steps},
     {PackageFormat::kPicoSdk, "pico-sdk", pico_sdk, pico_sdk_steps},
     {PackageFormat::kStm32Cube, "stm32cube", stm32cube, stm32cube_steps}}};

const Row& row_of(PackageFormat format) { return kFormats[static_cast<size_t>(format)]; }

}  // namespace

std::string_view name_of(PackageFormat format) { return row_of(format).name; }

std::optional<PackageFormat> parse_package_format(std::string_view name) {
  for (const Row& row : kFormats)
    if (row.name == name) return row.format;
  return std::nullopt;
}

std::vector<GeneratedFile> package_files(const GeneratedNetwork& network, const Device& device,
                                         PackageFormat format, const PackagePrograms& programs,
                                         const PackageIdentity& identity) {
  const PackageParts parts{network, device, identity};
  const auto& [smoke, bench] = programs;
  TT_CHECK(smoke || !bench, "a bench times the inference of the smoke test");
  Files files = with_build_id(network);
  const std::string check = build_check(network.name, build_id(network));
  if (smoke)
    files.push_back({"test/" + network.name + "_smoke.c", print_smoke_test(parts, *smoke) + check,
                     FileRole::kTest});
  if (bench)
    files.push_back({"bench/" + network.name + "_bench.c",
                     print_bench(parts, *smoke, *bench) + check, FileRole::kBench});
  files = row_of(format).arrange(parts, std::move(files));
  files.push_back(
      {"README.md", print_readme(parts, files, row_of(format).steps(parts)), FileRole::kDocument});
  return files;
}

std::vector<GeneratedFile> files_to_write(const GeneratedNetwork& network,
                                          std::vector<GeneratedFile> files, PackageFormat format) {
  if (format != PackageFormat::kMlf) return files;
  return {{network.name + ".tar", make_tar(files), FileRole::kBuild}};
}

}  // namespace tinytune
