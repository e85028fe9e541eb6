#include "base/files/path_below.h"

#include "base/files/file.h"
#include "base/files/path_below_detail.h"
#include "base/files/test_folder.h"

#include <gmock/gmock.h>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <thread>

namespace holdfast {
namespace {

namespace fs = std::filesystem;

// inside/        the folder that may be used
//   file         "in"
//   sub/file     "sub"
//   near         link to sub/file
//   far          link to ../outside
//   absolute     link to .../outside
//   subway       link to sub
// outside        "secret"
class PathBelow : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    fs::create_directories(root_ / "inside/sub");
    ASSERT_TRUE(replace_file(root_ / "outside", "secret"));
    ASSERT_TRUE(replace_file(root_ / "inside/file", "in"));
    ASSERT_TRUE(replace_file(root_ / "inside/sub/file", "sub"));
    fs::create_symlink("sub/file", root_ / "inside/near");
    fs::create_symlink("../outside", root_ / "inside/far");
    fs::create_symlink(root_ / "outside", root_ / "inside/absolute");
    fs::create_symlink("sub", root_ / "inside/subway");
    auto folder = open_folder(root_ / "inside");
    ASSERT_TRUE(folder);
    folder_ = std::move(*folder);
  }

  bool walking() const { return GetParam(); }

  Result<Fd> open(const std::string& relative, int flags, mode_t mode = 0, Links links = Links::follow_inside) {
    if (walking()) return detail::open_below_by_walking(folder_.get(), relative, flags, mode);
    return open_below(folder_, relative, flags, mode, links);
  }
  std::string content(const std::string& relative, Links links = Links::follow_inside) {
    const auto fd = open(relative, O_RDONLY, 0, links);
    if (!fd) return std::string(name_of(fd.error().kind));
    return read_all(fd->get(), 100).value_or("unreadable");
  }

  TestFolder root_;
  Fd folder_;
};

INSTANTIATE_TEST_SUITE_P(BothWays, PathBelow, testing::Bool(),
                         [](const testing::TestParamInfo<bool>& way) { return way.param ? "walking" : "kernel"; });

TEST_P(PathBelow, OpensWhatIsInside) {
  EXPECT_EQ(content("file"), "in");
  EXPECT_EQ(content("sub/file"), "sub");
  EXPECT_EQ(content("./sub//./file"), "sub");
  EXPECT_TRUE(open(".", O_RDONLY | O_DIRECTORY));
  EXPECT_TRUE(open("sub/", O_RDONLY));
  EXPECT_EQ(content("none"), "not_found");
  EXPECT_EQ(content("none/file"), "not_found");
  EXPECT_EQ(content("file/file"), "not_found");
  EXPECT_EQ(content("file/"), "not_found");
}

TEST_P(PathBelow, NothingLeadsOut) {
  for (const char* path : {"..", "../outside", "sub/../../outside", "./../outside", "far", "absolute", "subway/../../outside"}) {
    EXPECT_EQ(content(path), "refused") << path;
  }
}

TEST_P(PathBelow, LinksAreRefusedWhenAskedTo) {
  EXPECT_EQ(content("near", Links::refuse), "refused");
  EXPECT_EQ(content("subway/file", Links::refuse), "refused");
  EXPECT_EQ(content("sub/file", Links::refuse), "sub");
  EXPECT_FALSE(open("far", O_PATH, 0, Links::refuse));
  EXPECT_FALSE(open("subway", O_RDONLY | O_DIRECTORY, 0, Links::refuse));
  EXPECT_TRUE(open("far", O_PATH | O_NOFOLLOW, 0, Links::refuse));  // the link itself
}

TEST_P(PathBelow, LinksInsideAreFollowedByTheKernelOnly) {
  EXPECT_EQ(content("near"), walking() ? "refused" : "sub");
  EXPECT_EQ(content("subway/file"), walking() ? "refused" : "sub");
}

TEST_P(PathBelow, CreatesFilesWithTheirMode) {
  const auto fd = open("sub/new", O_WRONLY | O_CREAT | O_EXCL, 0600);
  ASSERT_TRUE(fd) << fd.error().message;
  EXPECT_NE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC, 0);
  struct stat status{};
  ASSERT_EQ(::fstat(fd->get(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0600U);
  EXPECT_EQ(open("sub/new", O_WRONLY | O_CREAT | O_EXCL, 0600).error().kind, ErrorKind::conflict);
  EXPECT_EQ(open("../new", O_WRONLY | O_CREAT, 0600).error().kind, ErrorKind::refused);
  EXPECT_FALSE(fs::exists(root_ / "new"));
}

TEST_P(PathBelow, AFifoDoesNotBlockWhenAskedNotTo) {
  ASSERT_EQ(::mkfifo((root_ / "inside/fifo").c_str(), 0600), 0);
  EXPECT_TRUE(open("fifo", O_RDONLY | O_NONBLOCK));
}

// Somebody exchanges a folder for a link to the outside as fast as possible. Whatever is opened, it is
// never the secret.
TEST_P(PathBelow, ASwapDuringTheCallDoesNotHelp) {
  fs::create_directory(root_ / "prison");
  ASSERT_TRUE(replace_file(root_ / "prison/file", "secret"));
  fs::create_symlink("../prison", root_ / "inside/trap");
  std::atomic<bool> done = false;
  std::jthread swapper([&] {
    const std::string a = root_ / "inside/sub", b = root_ / "inside/trap";
    while (!done) ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE);
  });
  int opened = 0, refused = 0;
  for (int i = 0; i < 5'000; ++i) {
    const std::string seen = content("sub/file");
    EXPECT_NE(seen, "secret");
    opened += seen == "sub";
    refused += seen == "refused";
  }
  done = true;
  EXPECT_GT(opened + refused, 0);
}

TEST(OpenBelow, RefusesPathsThatAreNoRelativePaths) {
  const TestFolder root;
  const auto folder = open_folder(root.path());
  ASSERT_TRUE(folder);
  EXPECT_EQ(open_below(*folder, "", O_RDONLY).error().kind, ErrorKind::invalid);
  EXPECT_EQ(open_below(*folder, "/etc/passwd", O_RDONLY).error().kind, ErrorKind::invalid);
  EXPECT_EQ(open_below(*folder, std::string_view("a\0b", 3), O_RDONLY).error().kind, ErrorKind::invalid);
  EXPECT_EQ(open_below(*folder, std::string(5000, 'a'), O_RDONLY).error().kind, ErrorKind::invalid);
}

// What a sandbox does to calls that it does not know.
bool forbid_openat2() {
  sock_filter steps[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(steps), steps};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(OpenBelow, WalksWhereASandboxForbidsTheCall) {
  const TestFolder root;
  ASSERT_TRUE(replace_file(root / "file", "in"));
  fs::create_symlink("file", root / "link");
  const auto folder = open_folder(root.path());
  ASSERT_TRUE(folder);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!forbid_openat2()) ::_exit(2);
    const auto link = open_below(*folder, "link", O_RDONLY);
    const bool walked = !link && link.error().kind == ErrorKind::refused && open_below(*folder, "file", O_RDONLY);
    ::_exit(walked ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "no seccomp here";
  EXPECT_EQ(status, 0);
}

TEST(OpenBelow, MagicLinksAreRefused) {
  const auto folder = open_folder("/proc/self/fd");
  ASSERT_TRUE(folder);
  EXPECT_EQ(open_below(*folder, std::to_string(folder->get()), O_RDONLY).error().kind, ErrorKind::refused);
}

TEST(OpenFolder, NeedsAFolder) {
  const TestFolder root;
  ASSERT_TRUE(replace_file(root / "f", "x"));
  EXPECT_EQ(open_folder(root / "f").error().kind, ErrorKind::not_found);
  EXPECT_EQ(open_folder(root / "none").error().kind, ErrorKind::not_found);
}

}  // namespace
}  // namespace holdfast
