#pragma once

// For tests: a library over a fresh folder, with its state beside it and something outside that must never be seen.

#include "base/files/file.h"
#include "base/files/test_folder.h"
#include "kinds/documents/files/document_file.h"
#include "kinds/documents/files/library.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::documents {

class TestLibrary {
 public:
  explicit TestLibrary(bool state_inside = false) {
    std::filesystem::create_directories(root());
    std::filesystem::create_directories(outside());
    settings_.folders = {{"kb", root(), false}};
    settings_.state_folder = state_inside ? root() + "/state" : folder_ / "state";
    reopen();
  }

  std::string root() const { return folder_ / "kb"; }
  std::string outside() const { return folder_ / "kb-private"; }
  const std::string& state() const { return settings_.state_folder; }
  std::string operator/(const std::string& name) const { return root() + "/" + name; }

  void write(const std::string& path, std::string_view bytes) const { write_at(root() + "/" + path, bytes); }
  void write_outside(const std::string& path, std::string_view bytes) const { write_at(outside() + "/" + path, bytes); }
  void link(const std::string& target, const std::string& path) const {
    std::filesystem::create_symlink(target, root() + "/" + path);
  }
  std::string read(const std::string& path) const { return read_file(root() + "/" + path).value_or("(missing)"); }

  // As another process would.
  void reopen() { library_ = Library::open(settings_).value(); }
  LibrarySettings& settings() { return settings_; }
  Library& library() { return *library_; }
  Place find(std::string_view path) { return library_->find(path).value(); }
  Place find_new(std::string_view path) { return library_->find_new(path).value(); }

 private:
  static void write_at(const std::string& path, std::string_view bytes) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    // In place, as many editors do.
    const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    EXPECT_TRUE(file && write_all(file.get(), bytes)) << path;
  }

  TestFolder folder_;
  LibrarySettings settings_;
  std::unique_ptr<Library> library_;
};

// For tests of the order of things, not of the disk: what this program writes is in memory where that is possible.
inline bool use_memory() {
  return ::access("/dev/shm", W_OK) == 0 && ::setenv("TMPDIR", "/dev/shm", 1) == 0;
}

inline FileStep replace_step(TestLibrary& files, std::string_view path, std::string bytes) {
  FileStep step;
  step.place = files.find(path);
  step.expected = read_document(files.library(), step.place).value();
  step.bytes = std::move(bytes);
  return step;
}

template <class T>
std::string code_of(const Result<T>& result) {
  return result ? "ok" : std::string(result.error().word());
}

}  // namespace holdfast::documents
