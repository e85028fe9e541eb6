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
set(CMAKE_CXX_FLAGS_SANITIZE "-O1 -g1 -fno-omit-frame-pointer")

set(HF_SANITIZE "" CACHE STRING "comma-separated sanitizers: address,undefined or thread")
set(HF_FUZZ OFF CACHE BOOL "build the libFuzzer targets (clang only)")

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Werror)
# RE2 asks for -pthread; a precompiled header is refused where it was not given for it, so all get it.
add_compile_options(-pthread)
add_compile_definitions(_GNU_SOURCE HOLDFAST_VERSION="${PROJECT_VERSION}")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these inside its own std::string and Boost.JSON at -O2 (GCC bugs 105329, 105593).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow -Wno-array-bounds)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_compile_options(-Wno-deprecated-declarations)  # libstdc++ 12's own stable_sort; g++ still reports ours
endif()
if(HF_SANITIZE)
  add_compile_options(-fsanitize=${HF_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${HF_SANITIZE})
  if(HF_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # Asio uses fences, which TSan cannot see
  endif()
endif()

if(HF_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage in the rooms; fuzz/ links the driver
endif()

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
