// What a README tells users of each build system to type. The directory is called by the network's
// name here, wherever it was written.
#include "codegen/operators/outside_text.h"
#include "codegen/packages/package_parts.h"
#include "devices/core_table.h"

namespace tinytune {
namespace {

std::string shell(const std::string& lines) { return "```sh\n" + lines + "```\n"; }

std::string flags_of(const PackageParts& parts) {
  return in_markdown_code(core_flags(parts.device.target));
}

bool is_arm(const PackageParts& parts) { return parts.device.target.family == CoreFamily::kArmM; }

bool has_fpu(const PackageParts& parts) { return internal::has_fpu(parts.device.target); }

std::string compiler_of(const PackageParts& parts) {
  if (!parts.device.target.compiler.empty()) return in_markdown_code(parts.device.target.compiler);
  return is_arm(parts) ? "arm-none-eabi-gcc" : "riscv64-unknown-elf-gcc";
}

std::string stm32cube_ide(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  return "\n### STM32CubeIDE\n\n1. Copy the directory into the project, beside `Core/`.\n"
         "2. *Project > Properties > C/C++ General > Paths and Symbols*: add `" +
         name + "` to *Includes* (for GNU C and Assembly) and to *Source Location*; keep `" + name +
         "/test` out of the build.\n3. The directory's own *Properties > C/C++ Build > Settings > "
         "MCU GCC Compiler > Optimization*: `-O2`.\n\nThe IDE passes `" +
         flags_of(parts) + "` by itself; either float ABI will do, " +
         (has_fpu(parts) ? "no function takes a float. ST's `SystemInit()` switches the FPU on.\n"
                         : "the network has no floating point of its own.\n");
}

}  // namespace

std::string cmake_steps(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  const std::string compiler = compiler_of(parts);
  return "In your project's `CMakeLists.txt`:\n\n```cmake\nadd_subdirectory(" + name +
         ")\ntarget_link_libraries(firmware PRIVATE " + name +
         ")\n```\n\nThe library by itself, with a stock compiler:\n\n" +
         shell("cmake -S " + name +
               " -B build -DCMAKE_SYSTEM_NAME=Generic \\\n"
               "  -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY \\\n"
               "  -DCMAKE_C_COMPILER=" +
               compiler + " -DCMAKE_ASM_COMPILER=" + compiler + " \\\n  -DCMAKE_C_FLAGS=\"" +
               flags_of(parts) + "\" -DCMAKE_ASM_FLAGS=\"" + flags_of(parts) +
               "\"\ncmake --build build\n") +
         (is_arm(parts) ? stm32cube_ide(parts) : "");
}

std::string esp_idf_steps(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  const std::string& chip = parts.device.idf_target;
  const std::string set_target = "idf.py set-target " + (chip.empty() ? "CHIP" : chip) + "\n";
  return "Put the directory under your project's `components/` (or name it in "
         "`EXTRA_COMPONENT_DIRS`), add `REQUIRES " +
         name + "` to `main`'s `idf_component_register`, then:\n\n" +
         shell(set_target + "idf.py build flash monitor\n") +
         "\nThe smoke test is a project of its own, and prints PASS:\n\n" +
         shell("cd components/" + name + "/test\n" + set_target + "idf.py build flash monitor\n");
}

std::string zephyr_steps(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  return "The directory is a module: name it when the application is configured. `BOARD` is one "
         "with "
         "a core that takes `" +
         flags_of(parts) + "`" +
         (has_fpu(parts) ? "; `CONFIG_FPU=y` lets float32 tensors use its FPU" : "") + ".\n\n" +
         shell("west build -b BOARD app -- -DZEPHYR_EXTRA_MODULES=$PWD/" + name +
               "\nwest flash\n") +
         "\nThe smoke test is an application of its own; its exit code is 0 when it passes:\n\n" +
         shell("west build -b BOARD " + name + "/test\nwest flash\n");
}

std::string arduino_steps(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  const std::string smoke = name + "/examples/" + name + "_smoke";
  return "Copy the directory to your sketchbook's `libraries/`, then *File > Examples > " +
         in_markdown(name) +
         "*; or, with `FQBN` your board's name (`arduino-cli board listall`):\n\n" +
         shell("cp -r " + name + " ~/Arduino/libraries/\narduino-cli compile -b FQBN " + smoke +
               "\narduino-cli upload -b FQBN -p PORT " + smoke +
               "\narduino-cli monitor -p PORT -c baudrate=115200   # PASS\n") +
         "\nArduino asks its compiler for small code; these files ask for `-O2` themselves.\n";
}

std::string mlf_steps(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  const std::string compiler = compiler_of(parts);
  return shell("tar xf " + name + ".tar\n" + compiler + " " + flags_of(parts) +
               " -std=c11 -O2 -ffreestanding -I codegen/host/include \\\n  -c "
               "codegen/host/src/*.c codegen/host/src/*.S\n") +
         "\nIt is called through `" + name + ".h`, not through TVM's runtime.\n";
}

std::string platformio_steps(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  return "Copy the directory to your project's `lib/` and include `" + in_markdown_code(name) +
         ".h`; PlatformIO finds the library by it. The board's core must take `" + flags_of(parts) +
         "`.\n\nThe smoke test is a project of its own, for frameworks without a `main` of theirs; "
         "it prints PASS:\n\n" +
         shell("cd lib/" + name + "/examples/" + name +
               "_smoke\nPIO_PLATFORM=espressif32 PIO_BOARD=esp32-c3-devkitm-1 "
               "PIO_FRAMEWORK=espidf pio run -t upload -t monitor   # your board's names\n");
}

std::string pico_sdk_steps(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  return "In your project's `CMakeLists.txt`, after `pico_sdk_init()`:\n\n"
         "```cmake\nadd_subdirectory(" +
         name + ")\ntarget_link_libraries(firmware " + name +
         ")\n```\n\nThe smoke test is a project of its own; it prints PASS on USB and UART once a "
         "second:\n\n" +
         shell("cmake -S " + name +
               "/test -B build   # with PICO_SDK_PATH set; PICO_BOARD: yours\n"
               "cmake --build build\npicotool load -x build/" +
               name + "_smoke.uf2\n");
}

std::string stm32cube_steps(const PackageParts& parts) {
  const std::string& name = parts.network.name;
  return "Copy the directory to a project that STM32CubeMX generated for CMake, beside `Core/`, "
         "and "
         "add to its `CMakeLists.txt`:\n\n```cmake\nadd_subdirectory(" +
         name + ")\ntarget_link_libraries(${CMAKE_PROJECT_NAME} " + name + " " + name +
         "_smoke)\n```\n\nThe project's toolchain file has the core's flags, `" + flags_of(parts) +
         "`. The smoke test is a function here: call `" + name +
         "_smoke()` from `main`; it returns 0 when every byte is right. Leave it out of the "
         "firmware that you ship.\n" +
         (is_arm(parts) ? stm32cube_ide(parts) : "");
}

}  // namespace tinytune
