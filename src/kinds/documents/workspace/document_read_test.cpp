#include "base/crypto/hash.h"
#include "kinds/documents/files/test_library.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <atomic>
#include <cstring>
#include <thread>

namespace holdfast::documents {
namespace {

TEST(ReadDocument, BytesAndVersion) {
  TestLibrary files;
  const std::string bytes = "\xEF\xBB\xBFone\r\ntwo";
  files.write("a.md", bytes);
  const auto state = read_document(files.library(), files.find("a.md"));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->bytes, bytes);
  EXPECT_EQ(state->version, to_hex(sha256(bytes)));
  struct stat status{};
  ASSERT_EQ(::stat((files / "a.md").c_str(), &status), 0);
  EXPECT_EQ(state->inode, status.st_ino);
  EXPECT_EQ(state->size, bytes.size());
  EXPECT_GT(state->modified_ns, 0);
}

// document-review §4 Text.
TEST(ReadDocument, WhatIsNoText) {
  TestLibrary files;
  files.write("nul.md", std::string_view("a\0b", 3));
  files.write("latin.md", "caf\xe9");
  files.write("folder/a.md", "a");
  ASSERT_EQ(::mkfifo((files / "fifo.md").c_str(), 0600), 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::filesystem::current_path(files.root());
  std::strcpy(address.sun_path, "socket.md");
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::filesystem::current_path("/");
  for (const char* path : {"nul.md", "latin.md", "folder", "fifo.md", "socket.md"})
    EXPECT_EQ(code_of(read_document(files.library(), files.find(path))), "not_text") << path;
}

TEST(ReadDocument, AGigabyteIsRefusedWithoutReadingIt) {
  TestLibrary files;
  files.write("big.md", "x");
  std::filesystem::resize_file(files / "big.md", 1ULL << 30);
  const auto state = read_document(files.library(), files.find("big.md"));
  EXPECT_EQ(code_of(state), "too_large");
  EXPECT_EQ(code_of(read_document(files.library(), files.find("big.md"), 10)), "too_large");
}

TEST(ReadDocument, WhatIsGoneOrALinkNow) {
  TestLibrary files;
  files.write("a.md", "a");
  files.write_outside("secret.md", "secret");
  const Place place = files.find("a.md");
  std::filesystem::remove(files / "a.md");
  EXPECT_EQ(code_of(read_document(files.library(), place)), "no_such_document");
  files.link(files.outside() + "/secret.md", "a.md");
  EXPECT_EQ(code_of(read_document(files.library(), place)), "no_such_document");
}

TEST(DocumentLock, IsHeldByOneAtATime) {
  TestLibrary files;
  std::atomic<int> inside = 0, most = 0, done = 0;
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      const auto lock = DocumentLock::take(files.library(), "/a/b.md");
      ASSERT_TRUE(lock);
      most = std::max(most.load(), ++inside);
      --inside;
      ++done;
    }
  };
  std::thread other(work);
  work();
  other.join();
  EXPECT_EQ(most, 1);
  EXPECT_EQ(done, 400);
  const auto one = DocumentLock::take(files.library(), "/a/b.md"), another = DocumentLock::take(files.library(), "/a/c.md");
  EXPECT_TRUE(one && another);
}

}  // namespace
}  // namespace holdfast::documents
