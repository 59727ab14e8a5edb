// libtinytune.so has no source of its own: CMake asks a library for one. Its contents are tuner/ and
// what that links; exports.map says what of it is visible.
