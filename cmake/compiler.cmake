# One set of flags for every target: C++23, warnings as errors, and what the preset asks for.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")
# clang takes 55 s for a batch of sanitized code at -O1 and 22 s at -O0: more than most tests save when they run (but see
# OPTIMISED in rooms.cmake).
set(CMAKE_CXX_FLAGS_SANITIZE "-O0 -g1 -fno-omit-frame-pointer")

set(HF_SANITIZE "" CACHE STRING "comma-separated sanitizers: address,undefined or thread")
option(HF_FUZZ "build the libFuzzer targets (clang only)" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Werror)
# RE2 asks for -pthread; a precompiled header is refused where it was not given for it, so all get it.
add_compile_options(-pthread)
add_compile_definitions(_GNU_SOURCE HOLDFAST_VERSION="${PROJECT_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside its own std::string and Boost.JSON at -O2 (GCC bugs 105329, 105593).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
  # A type that hides in one source file looks to g++ as if it came from a header when files are compiled together.
  add_compile_options(-Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wno-deprecated-declarations)  # libstdc++ 12's own stable_sort; g++ still reports ours
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")  # or the cache never has what uses a precompiled header
endif()
if(HF_SANITIZE)
  add_compile_options(-fsanitize=${HF_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HF_SANITIZE})
  add_compile_definitions(HOLDFAST_SANITIZED)  # for tests that compute for long: what a sanitizer sees, it sees in fewer rounds
endif()

# What the shipped program defends itself with; tests/structure/check_hardening.py looks for each in the built binary. That it may
# be loaded anywhere (PIE) is what Debian's compilers do unasked.
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_definitions(_FORTIFY_SOURCE=3 _GLIBCXX_ASSERTIONS)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    add_compile_options(-fcf-protection=full)
  elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    add_compile_options(-mbranch-protection=standard)
  endif()
  add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()

# What guides the fuzzer, in the rooms and the targets; fuzz/ links the driver.
set(HF_COVERAGE "")
if(HF_FUZZ)
  set(HF_COVERAGE -fsanitize=fuzzer-no-link)
endif()

# Where the repository lies is in no object: __FILE__ and debug information begin at its root. Two clones make the same bytes, and
# share the compiler cache also for tests, whose assertions name their file.
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)

# Paths below the repository are hashed relative to it, so that clones in other folders share the cache; so do shells with
# another language (messages of a failed compilation are never cached).
find_program(HF_CCACHE ccache)
if(HF_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale
    CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${HF_CCACHE})
endif()
find_program(HF_MOLD mold)
if(HF_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
add_link_options(-Wl,--as-needed)
