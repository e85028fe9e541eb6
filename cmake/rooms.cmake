# hf_room(name [DEPENDS rooms...] [LINK libraries...] [TEST_DEPENDS rooms...])
#
# src/name/**.cpp becomes the static library hf_name; src/name/**_test.cpp the program name_test, run
# by ctest. TEST_DEPENDS are rooms that only the tests include: the real store under rules that know its
# interface alone. What most files include (Boost.JSON, fmt, the larger parts of the standard library, GoogleTest) is precompiled.

set(HF_STD_HEADERS <algorithm> <chrono> <expected> <functional> <map> <memory> <mutex> <set> <string> <string_view> <thread> <vector>)
add_library(hf_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_include_directories(hf_pch PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(hf_pch PRIVATE Boost::json fmt::fmt Threads::Threads)
target_precompile_headers(hf_pch PRIVATE <boost/json.hpp> <fmt/format.h> ${HF_STD_HEADERS})

add_library(hf_test_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
# Test sources are compiled without optimisation: that saves a third of their time, and what they test is optimised.
set(HF_TEST_OPTIONS -O0)
target_compile_options(hf_test_pch PRIVATE ${HF_TEST_OPTIONS})
target_link_libraries(hf_test_pch PRIVATE Boost::json fmt::fmt GTest::gtest GTest::gmock Threads::Threads)
target_precompile_headers(hf_test_pch PRIVATE <boost/json.hpp> <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h> ${HF_STD_HEADERS})

# Where the tests find their files: base/test_data.h.
add_library(hf_test_data STATIC ${CMAKE_SOURCE_DIR}/cmake/test_data.cpp)
target_include_directories(hf_test_data PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_compile_definitions(hf_test_data PRIVATE HOLDFAST_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data")

function(hf_room name)
  cmake_parse_arguments(ROOM "" "" "DEPENDS;LINK;TEST_DEPENDS" ${ARGN})
  set_property(GLOBAL PROPERTY HF_ROOM_${name} "${ROOM_DEPENDS}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  if(NOT sources)
    return()
  endif()
  add_library(hf_${name} STATIC ${sources})
  target_include_directories(hf_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_precompile_headers(hf_${name} REUSE_FROM hf_pch)
  target_link_libraries(hf_${name} PUBLIC ${ROOM_LINK} Boost::json Threads::Threads)
  foreach(dependency ${ROOM_DEPENDS})
    target_link_libraries(hf_${name} PUBLIC hf_${dependency})
  endforeach()
  if(tests)
    add_executable(${name}_test ${tests})
    target_precompile_headers(${name}_test REUSE_FROM hf_test_pch)
    target_compile_options(${name}_test PRIVATE ${HF_TEST_OPTIONS})
    # RapidCheck nests so deep that without optimisation it is ten times slower and overflows the stack.
    foreach(test ${tests})
      file(STRINGS ${test} properties REGEX "#include <rapidcheck")
      if(properties)
        set_source_files_properties(${test} PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
      endif()
    endforeach()
    target_include_directories(${name}_test PRIVATE ${HF_RAPIDCHECK_INCLUDE})
    target_link_libraries(${name}_test PRIVATE hf_${name} hf_test_data GTest::gmock GTest::gtest_main ${HF_RAPIDCHECK})
    foreach(dependency ${ROOM_TEST_DEPENDS})
      target_link_libraries(${name}_test PRIVATE hf_${dependency})
    endforeach()
    add_test(NAME unit.${name} COMMAND ${name}_test)
    set_tests_properties(unit.${name} PROPERTIES LABELS "quick;unit" TIMEOUT 600)
  endif()
endfunction()

# hf_embed(room source files...): src/room/source embeds these files of its folder with .incbin, so it is
# compiled again when one of them changes; HOLDFAST_ASSETS is their folder.
function(hf_embed room source)
  if(NOT TARGET hf_${room})
    return()
  endif()
  set(folder ${CMAKE_SOURCE_DIR}/src/${room})
  list(TRANSFORM ARGN PREPEND ${folder}/)
  set_source_files_properties(${folder}/${source} PROPERTIES
    OBJECT_DEPENDS "${ARGN}" COMPILE_DEFINITIONS HOLDFAST_ASSETS="${folder}/assets" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
