# What `cmake --install` puts down, and the Debian package for development that `cpack` makes of it, linked with
# Debian 12's libraries (scripts/make_packages packs for machines without them). Component tinytune:
# the program, the shared library with its headers, and what CMake and pkg-config find them by; whoever
# has the library also needs the program, because workers are started from it. Component templates: what
# a `tune` program with kernel templates of one's own is linked from.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TINYTUNE_CONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/tinytune")

install(TARGETS tinytune tune EXPORT tinytune
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tinytune
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT tinytune
          NAMELINK_COMPONENT tinytune)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tinytune"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT tinytune)
install(EXPORT tinytune NAMESPACE tinytune:: FILE tinytuneTargets.cmake
  DESTINATION "${TINYTUNE_CONFIG_DIR}" COMPONENT tinytune)
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/tinytuneConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/tinytuneConfig.cmake" INSTALL_DESTINATION "${TINYTUNE_CONFIG_DIR}")
# Before 1.0 a minor version may change what callers see.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/tinytuneConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/tinytuneConfig.cmake"
  "${PROJECT_BINARY_DIR}/tinytuneConfigVersion.cmake"
  DESTINATION "${TINYTUNE_CONFIG_DIR}" COMPONENT tinytune)

# The engine for kernel templates of others: its libraries, the headers that a template includes, and
# the sources that a program is made of.
get_property(libraries GLOBAL PROPERTY TINYTUNE_LIBRARIES)
install(TARGETS tinytune_options ${libraries} EXPORT tinytuneEngine
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/tinytune" COMPONENT templates)
install(EXPORT tinytuneEngine NAMESPACE tinytune:: FILE tinytuneEngineTargets.cmake
  DESTINATION "${TINYTUNE_CONFIG_DIR}" COMPONENT templates)
install(FILES "${CMAKE_CURRENT_LIST_DIR}/Dependencies.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/TinytuneProgram.cmake"
  DESTINATION "${TINYTUNE_CONFIG_DIR}" COMPONENT templates)
foreach(room base devices schedules templates)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/${room}"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tinytune-engine" COMPONENT templates
    FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "kernel_template.cc")
endforeach()
install(FILES "${PROJECT_SOURCE_DIR}/simulator/peripheral.h" "${PROJECT_SOURCE_DIR}/simulator/peripheral.cc"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tinytune-engine/simulator" COMPONENT templates)
install(FILES "${PROJECT_SOURCE_DIR}/cli/cli.h" "${PROJECT_SOURCE_DIR}/cli/main.cc"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/tinytune-engine/cli" COMPONENT templates)

# Written when it is installed, because only then the prefix is known.
install(CODE "
  set(CMAKE_INSTALL_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")
  set(CMAKE_INSTALL_INCLUDEDIR \"${CMAKE_INSTALL_INCLUDEDIR}\")
  set(PROJECT_VERSION \"${PROJECT_VERSION}\")
  set(pc \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig/tinytune.pc\")
  configure_file(\"${CMAKE_CURRENT_LIST_DIR}/tinytune.pc.in\" \"\${pc}\" @ONLY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${pc}\")"
  COMPONENT tinytune)

# What man and shells know of the program, in the program's own words.
install(CODE "
  set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
  foreach(pair \"manual:man/man1/tune.1\" \"completion bash:bash-completion/completions/tune\"
          \"completion zsh:zsh/vendor-completions/_tune\" \"completion fish:fish/vendor_completions.d/tune.fish\")
    string(REGEX MATCH \"(.*):(.*)\" pair \"\${pair}\")
    separate_arguments(words UNIX_COMMAND \"\${CMAKE_MATCH_1}\")
    set(file \"\${share}/\${CMAKE_MATCH_2}\")
    get_filename_component(folder \"\${file}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"$<TARGET_FILE:tune>\" \${words} OUTPUT_FILE \"\${file}\"
      COMMAND_ERROR_IS_FATAL ANY)
    list(APPEND CMAKE_INSTALL_MANIFEST_FILES \"\${file}\")
  endforeach()"
  COMPONENT tinytune)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tinytune-dev)
set(CPACK_DEBIAN_PACKAGE_CONFLICTS tinytune)
set(CPACK_DEBIAN_PACKAGE_PROVIDES tinytune)
set(CPACK_PACKAGE_VENDOR tinytune)
set(CPACK_PACKAGE_CONTACT "tinytune developers <tinytune@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "autotuning of exact int8 kernels for microcontrollers")
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tinytune templates)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "clang-${LLVM_VERSION_MAJOR}")  # builds the network's C when it is run or measured
# What component templates is linked with: cmake/Dependencies.cmake by the names of Debian's packages.
set(halide_package libhalide19-dev)
if(LLVM_VERSION_MAJOR EQUAL 14)
  set(halide_package "libhalide14-0-dev, xgboost")  # xgboost: what its CMake package looks for
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "python3, ${halide_package}, llvm-${LLVM_VERSION_MAJOR}-dev, liblld-${LLVM_VERSION_MAJOR}-dev, libxgboost-dev, libeigen3-dev, libtbb-dev, libgrpc++-dev, libprotobuf-dev, protobuf-compiler, protobuf-compiler-grpc, libcli11-dev, libcpp-httplib-dev, libflatbuffers-dev, flatbuffers-compiler, libonnx-dev, libtomlplusplus-dev, nlohmann-json3-dev, libfmt-dev, libunicorn-dev, libxxhash-dev, libssl-dev, libexpat1-dev, zlib1g-dev, libpng-dev, libjpeg-dev")
include(CPack)
