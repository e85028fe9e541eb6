# hf_room(name [THREADS] [SHARDS count] [OPTIMISED sources...] [DEPENDS rooms...] [LINK libraries...] [TEST_DEPENDS rooms...])
#
# src/name/**.cpp becomes the static library hf_name; src/name/**_test.cpp the program name_test, run by ctest. A kind lies in a
# folder with the others (kinds/threads); its library does not say so (hf_threads). TEST_DEPENDS are rooms that only the tests
# include: the real store under rules that know its interface alone. A room that starts threads says THREADS: its tests also run
# under ThreadSanitizer (target thread_tests, label threads; tests/structure/check_rooms.py looks for rooms that forgot). Sources
# where tests spend minutes are OPTIMISED in the sanitizer trees as well. A test program that takes long is run in SHARDS, so that
# two processors have something to do.

# Half of the time that a small file takes is reading headers. So the files of one room are compiled together, in batches: less
# than half of the time from nothing, but a changed file takes its batch with it. Names of anonymous namespaces are therefore
# unique in their room.
option(HF_UNITY "compile the sources of a room together; OFF for people who edit" ON)
set(HF_BATCH_BYTES 160000)  # of source text: twice as much saves a tenth more, and lets a changed file take twice as long
# clang writes absolute paths into a precompiled header, so that a clone in another folder would find nothing in the compiler cache:
# for batches, which read the headers once in a while only, it does without.
if(HF_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

set(HF_STD_HEADERS <algorithm> <chrono> <expected> <functional> <map> <memory> <mutex> <set> <string> <string_view> <thread> <vector>)

# What most files include (Boost.JSON, fmt, the larger parts of the standard library, GoogleTest) is precompiled: once for the
# rooms, once for their tests, once for tests of properties.
function(hf_precompiled name options libraries)
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_options(${name} PRIVATE ${options})
  target_link_libraries(${name} PRIVATE Boost::json fmt::fmt Threads::Threads ${libraries})
  target_precompile_headers(${name} PRIVATE <boost/json.hpp> <fmt/format.h> ${HF_STD_HEADERS} ${ARGN})
endfunction()

# Test sources are compiled without optimisation, which saves two thirds of their time.
set(HF_TEST_OPTIONS -O0 -U_FORTIFY_SOURCE)
hf_precompiled(hf_pch "${HF_COVERAGE}" "")
hf_precompiled(hf_test_pch "${HF_TEST_OPTIONS}" "GTest::gtest;GTest::gmock" <gmock/gmock.h> <gtest/gtest.h>)
hf_precompiled(hf_property_pch "${HF_TEST_OPTIONS}" "GTest::gtest;GTest::gmock" <gmock/gmock.h> <gtest/gtest.h> <rapidcheck.h> <rapidcheck/gtest.h>)

# Where the tests find their files: base/files/test_data.h.
add_library(hf_test_data STATIC ${CMAKE_SOURCE_DIR}/cmake/test_data.cpp)
target_include_directories(hf_test_data PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(hf_test_data PRIVATE HOLDFAST_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")

add_library(hf_test_main STATIC ${CMAKE_SOURCE_DIR}/cmake/test_main.cpp)
target_link_libraries(hf_test_main PUBLIC GTest::gmock)

# hf_batches(target sources...): gives every source its batch. The sources are sorted, so those of a folder follow each other. A
# folder begins a batch of its own once the one before is half full: small folders share one, and a file that grows moves nothing
# beyond its folder into other batches.
function(hf_batches target)
  if(NOT HF_UNITY)
    return()
  endif()
  set(folder "")
  set(number 0)
  set(bytes 0)
  foreach(source ${ARGN})
    get_filename_component(next ${source} DIRECTORY)
    math(EXPR twice "2 * ${bytes}")
    if(folder STREQUAL "" OR bytes GREATER HF_BATCH_BYTES OR (NOT next STREQUAL folder AND twice GREATER HF_BATCH_BYTES))
      file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/src ${next})
      string(REPLACE "/" "_" name ${name})
      math(EXPR number "${number} + 1")
      set(bytes 0)
    endif()
    set(folder ${next})
    file(SIZE ${source} size)
    math(EXPR bytes "${bytes} + ${size}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${number})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# hf_test_program(name sources...): a GoogleTest program of a room, or of tests/.
function(hf_test_program name)
  add_executable(${name} ${ARGN})
  target_precompile_headers(${name} REUSE_FROM hf_test_pch)
  target_compile_options(${name} PRIVATE ${HF_TEST_OPTIONS})
  target_link_libraries(${name} PRIVATE hf_test_main)
endfunction()

# Under TSan all tests of a room with threads run, but for those that compute for many seconds in one thread.
string(JOIN ":" HF_WITH_THREADS
  "-*LinearTime*" "SqliteNoise.*" "*/IndexProperty.*/1" "MergeProperty.*" "TextSearchProperty.*" "ChunkIndexProperty.*" "CorpusCacheProperty.*" "RewriteReference.*" "ArchiveReader.Archive_8_2_WhatARealSessionMayHoldIsNoBomb"
  "ArchiveWriter.Archive_4_4_ATranscriptOfBrokenLinesIsKeptWhole")

# hf_shards(name program count labels): adds the program as `count` tests, each of which runs its share of the cases.
function(hf_shards name program count labels)
  foreach(shard RANGE 1 ${count})
    set(test ${name})
    set(environment "")
    if(count GREATER 1)
      math(EXPR index "${shard} - 1")
      set(test ${name}.${shard})
      set(environment "GTEST_TOTAL_SHARDS=${count};GTEST_SHARD_INDEX=${index}")
    endif()
    if(HF_SANITIZE MATCHES "thread")
      list(APPEND environment "GTEST_FILTER=${HF_WITH_THREADS}")
    endif()
    add_test(NAME ${test} COMMAND ${program})
    set_tests_properties(${test} PROPERTIES LABELS "${labels}" TIMEOUT 1200 COST ${count}  # the long ones first
      ENVIRONMENT "${environment}")
  endforeach()
endfunction()

function(hf_room folder)
  cmake_parse_arguments(ROOM "THREADS" "SHARDS" "OPTIMISED;DEPENDS;LINK;TEST_DEPENDS" ${ARGN})
  get_filename_component(name ${folder} NAME)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${folder}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    return()
  endif()
  add_library(hf_${name} STATIC ${sources})
  hf_batches(hf_${name} ${sources})
  target_include_directories(hf_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_compile_options(hf_${name} PRIVATE ${HF_COVERAGE})
  target_precompile_headers(hf_${name} REUSE_FROM hf_pch)
  if(ROOM_OPTIMISED AND CMAKE_BUILD_TYPE STREQUAL "Sanitize")
    list(TRANSFORM ROOM_OPTIMISED PREPEND ${CMAKE_SOURCE_DIR}/src/${folder}/)
    set_source_files_properties(${ROOM_OPTIMISED} PROPERTIES COMPILE_OPTIONS -O2 SKIP_PRECOMPILE_HEADERS ON)
  endif()
  target_link_libraries(hf_${name} PUBLIC ${ROOM_LINK} Boost::json Threads::Threads)
  foreach(dependency ${ROOM_DEPENDS})
    target_link_libraries(hf_${name} PUBLIC hf_${dependency})
  endforeach()
  if(NOT tests)
    return()
  endif()

  list(TRANSFORM ROOM_TEST_DEPENDS PREPEND hf_)
  set(uses hf_${name} hf_test_data ${ROOM_TEST_DEPENDS})
  set(properties "")
  foreach(test ${tests})
    file(STRINGS ${test} rapidcheck REGEX "#include <rapidcheck")
    if(rapidcheck OR test MATCHES "_property_test\\.cpp$")
      list(APPEND properties ${test})
    endif()
  endforeach()
  if(properties)
    list(REMOVE_ITEM tests ${properties})
    add_library(${name}_properties OBJECT EXCLUDE_FROM_ALL ${properties})
    hf_batches(${name}_properties ${properties})
    target_precompile_headers(${name}_properties REUSE_FROM hf_property_pch)
    target_compile_options(${name}_properties PRIVATE ${HF_TEST_OPTIONS})
    target_link_libraries(${name}_properties PRIVATE ${uses} GTest::gmock)
    list(APPEND uses ${name}_properties ${HF_RAPIDCHECK})
  endif()
  hf_test_program(${name}_test ${tests})
  set_target_properties(${name}_test PROPERTIES EXCLUDE_FROM_ALL ON)  # the release tree does without
  hf_batches(${name}_test ${tests})
  target_link_libraries(${name}_test PRIVATE ${uses})
  if(NOT ROOM_SHARDS)
    set(ROOM_SHARDS 1)
  endif()
  set(labels quick unit)
  if(ROOM_THREADS)
    list(APPEND labels threads)
    add_dependencies(thread_tests ${name}_test)
  endif()
  add_dependencies(unit_tests ${name}_test)
  hf_shards(unit.${name} ${name}_test ${ROOM_SHARDS} "${labels}")
endfunction()

# What the sanitizer trees build: all unit tests, and those of the rooms with threads.
add_custom_target(unit_tests)
add_custom_target(thread_tests)

# hf_embed(room folder source files...): src/folder/source embeds these files of its folder with .incbin, so it is
# compiled again when one of them changes; HOLDFAST_ASSETS is their folder.
function(hf_embed room folder source)
  if(NOT TARGET hf_${room})
    return()
  endif()
  set(folder ${CMAKE_SOURCE_DIR}/src/${folder})
  list(TRANSFORM ARGN PREPEND ${folder}/)
  set_source_files_properties(${folder}/${source} PROPERTIES
    OBJECT_DEPENDS "${ARGN}" COMPILE_DEFINITIONS HOLDFAST_ASSETS="${folder}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
