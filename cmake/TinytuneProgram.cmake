# tinytune_program(NAME ROWS kMyTemplate … PERIPHERALS kMyUnit … SOURCES my_template.cc …)
#
# The `tune` program with further rows in its table of kernel templates, and in the simulator's of
# peripherals. Templates come last, so they are tuned for but never an untuned layer's default. Workers are started from the same program, so they
# know them too. The tables' own object files stand in for the library's.
function(tinytune_program name)
  cmake_parse_arguments(ARG "" "" "ROWS;PERIPHERALS;SOURCES" ${ARGN})
  set(rows "")
  foreach(row IN LISTS ARG_ROWS)
    string(APPEND rows "KERNEL_TEMPLATE(${row})\n")
  endforeach()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}_rows")
  file(CONFIGURE OUTPUT "${folder}/user_kernels.inc" CONTENT "${rows}")
  set(rows "")
  foreach(row IN LISTS ARG_PERIPHERALS)
    string(APPEND rows "PERIPHERAL(${row})\n")
  endforeach()
  file(CONFIGURE OUTPUT "${folder}/user_peripherals.inc" CONTENT "${rows}")
  # Installed, the package's config names both.
  if(TINYTUNE_ENGINE_SOURCE)
    set(source "${TINYTUNE_ENGINE_SOURCE}")
    set(engine tinytune::cli)
  else()
    set(source "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..")
    set(engine cli)
  endif()
  add_executable(${name} "${source}/cli/main.cc" "${source}/templates/kernel_template.cc"
    "${source}/simulator/peripheral.cc" ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE "${folder}")
  target_compile_definitions(${name} PRIVATE TINYTUNE_USER_KERNELS="user_kernels.inc"
    TINYTUNE_USER_PERIPHERALS="user_peripherals.inc")
  target_link_libraries(${name} PRIVATE ${engine})
endfunction()
