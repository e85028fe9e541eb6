#pragma once

// For tests: a home folder of its own, empty or a copy of the one the real client wrote (tests/data/claude-home-basic).

#include "base/files/test_data.h"
#include "base/files/test_folder.h"
#include "base/run/clock.h"
#include "kinds/transcripts/home/home.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace holdfast::transcripts {

class TestHome {
 public:
  static constexpr const char* kDemo = "-home-dev-work-demo";
  static constexpr Millis kNow = 1'800'000'000'000;       // 2027-01-15T08:00:00Z
  static std::string id(const std::string& short_name) {  // "a1" -> 000000a1-0000-4000-8000-0000000000a1
    return "000000" + short_name + "-0000-4000-8000-0000000000" + short_name;
  }

  TestHome() { std::filesystem::create_directories(folder()); }
  static TestHome of_client() {
    TestHome made;
    std::filesystem::copy(test_data("claude-home-basic/.claude"), made.folder(),
                          std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
    return made;
  }

  std::string folder() const { return *test_folder_ / ".claude"; }
  std::string outside() const { return test_folder_->path(); }
  std::string operator/(const std::string& path) const { return folder() + "/" + path; }
  Home home() const { return *Home::open(folder()); }

  void write(const std::string& path, const std::string& bytes) const {
    const std::filesystem::path whole = *this / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole, std::ios::binary) << bytes;
  }
  void append(const std::string& path, const std::string& bytes) const {
    std::ofstream(*this / path, std::ios::binary | std::ios::app) << bytes;
  }
  std::string read(const std::string& path) const {
    std::ifstream in(*this / path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::unique_ptr<TestFolder> test_folder_ = std::make_unique<TestFolder>();
};

}  // namespace holdfast::transcripts
