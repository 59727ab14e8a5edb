// What the printers of this room share. Each adds to a list of files or makes the text of one.
#pragma once

#include <string>
#include <vector>

#include "codegen/operators/c_writer.h"
#include "codegen/packages/package.h"

namespace tinytune {

struct PackageParts {
  const GeneratedNetwork& network;
  const Device& device;
};

using Files = std::vector<GeneratedFile>;

/// README.md of a package with these files, and how its build system takes them.
std::string print_readme(const PackageParts& parts, const Files& files, const std::string& steps);
/// build_steps.cc: Markdown, from a fresh project to the smoke test's PASS.
std::string cmake_steps(const PackageParts& parts);
std::string esp_idf_steps(const PackageParts& parts);
std::string zephyr_steps(const PackageParts& parts);
std::string arduino_steps(const PackageParts& parts);
std::string mlf_steps(const PackageParts& parts);
/// `test/<name>_smoke.c`.
std::string print_smoke_test(const PackageParts& parts, const SmokeTest& smoke);
/// `bench/<name>_bench.c`, which prints lines of times_text.h.
std::string print_bench(const PackageParts& parts, const SmokeTest& smoke,
                        const CycleReading& reading);

/// What both programs have: the arena, inputs and expected outputs as arrays, and statements that
/// fill the arena, and that do something about a byte that differs.
std::string print_example_data(const GeneratedNetwork& network, const SmokeTest& smoke);
/// Statements that main() begins with: they switch on the unit that kernels use, if there is one.
std::string print_unit_start(const Device& device);
void print_fill(CWriter& w, const GeneratedNetwork& network);
void print_comparison(CWriter& w, const GeneratedNetwork& network, const std::string& statement);

/// package_mlf.cc: the tree of the format, and its archive.
Files arrange_mlf(const PackageParts& parts, Files files);
std::string make_tar(const Files& files);

}  // namespace tinytune
