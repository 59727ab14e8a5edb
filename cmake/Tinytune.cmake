# tinytune_library(NAME [HOT] SOURCES a.cc … LINKS lib … PRIVATE_LINKS lib …)
# tinytune_thorough(TEST …)
# tinytune_test(NAME SOURCES a_test.cc … LINKS lib … [LABELS …])
# One place for warnings, sanitizers and the include root.

add_library(tinytune_options INTERFACE)
target_include_directories(tinytune_options INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR};${PROJECT_SOURCE_DIR}/include;${PROJECT_BINARY_DIR}>"
  "$<INSTALL_INTERFACE:include;include/tinytune-engine>")
# -Wrestrict: false positives on std::string's operator+ in GCC 12 (GCC bug 105329).
target_compile_options(tinytune_options INTERFACE
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra>
  $<BUILD_INTERFACE:-Wno-missing-field-initializers>
  $<BUILD_INTERFACE:$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>>)
if(TINYTUNE_SANITIZE)
  # No -Werror: the checks hide from GCC what it knows of values, and its manual warns of warnings
  # that are false for that. A release build of the same files has it. No vptr: LLVM and Halide are
  # built without run-time types.
  set(TINYTUNE_SANITIZERS
    -fsanitize=address,undefined -fno-sanitize=vptr -fno-sanitize-recover=all)
  if(TINYTUNE_FUZZ)
    list(APPEND TINYTUNE_SANITIZERS -fsanitize=fuzzer-no-link)
  endif()
  target_compile_options(tinytune_options INTERFACE
    ${TINYTUNE_SANITIZERS} -fno-omit-frame-pointer)
  target_link_options(tinytune_options INTERFACE ${TINYTUNE_SANITIZERS})
  set(TINYTUNE_TEST_TIMEOUT 1800)
else()
  # Not for newer compilers, which warn of more with each release, falsely too (GCC 14: -Warray-bounds).
  if(TINYTUNE_WERROR AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
     AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(tinytune_options INTERFACE $<BUILD_INTERFACE:-Werror>)
  endif()
  set(TINYTUNE_TEST_TIMEOUT 900)
endif()

function(tinytune_library name)
  cmake_parse_arguments(ARG "HOT" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  if(NOT ARG_HOT)  # -O3 costs a fifth of their build and gains nothing: trials run in the HOT ones and in LLVM
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O2>)
  endif()
  target_link_libraries(${name} PUBLIC tinytune_options ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  set_property(GLOBAL APPEND PROPERTY TINYTUNE_LIBRARIES ${name})
endfunction()

function(tinytune_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  # What tests spend their time in is the libraries; -O3 of the tests themselves costs a fifth of a build.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  # gtest's, gmock's and json's templates are most of a test's compilation: instantiated once for eight files.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  target_compile_definitions(${name} PRIVATE
    TINYTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}" TINYTUNE_BINARY_DIR="${PROJECT_BINARY_DIR}")
  set(properties TIMEOUT ${TINYTUNE_TEST_TIMEOUT})
  if(ARG_LABELS)
    list(APPEND properties LABELS ${ARG_LABELS})
  endif()
  gtest_discover_tests(${name} TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 120
    PROPERTIES ${properties})
endfunction()

# Smoke runs of programs that no user has, and what another test has by a shorter way: ./check leaves them
# out, ./check --all does not. Those that were not added here are passed over.
function(tinytune_thorough)
  foreach(test IN LISTS ARGN)
    if(TEST ${test})
      set_property(TEST ${test} APPEND PROPERTY LABELS thorough)
    endif()
  endforeach()
endfunction()

include(TinytuneProgram)
