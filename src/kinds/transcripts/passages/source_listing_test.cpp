#include "kinds/transcripts/archive/test_archive.h"
#include "kinds/transcripts/passages/passage_sources.h"
#include "kinds/transcripts/testing/test_home.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <set>
#include <thread>

namespace holdfast::transcripts {
namespace {

namespace fs = std::filesystem;
using search::Source;

constexpr Keeping kKept{true, 10'000};

std::string shown(const std::string& key, const std::string& session, const struct stat& status) {
  const auto name = source_name(key);
  const std::uint64_t modified =
      static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  std::string incarnation = fmt::format("{:x}", status.st_ino);
  if (!name->is_conversation()) incarnation += fmt::format(".{:x}.{:x}", status.st_size, modified);
  return fmt::format("{} {} {} {} {}", key, session, status.st_size, modified, incarnation);
}

// What is there, found without anything of what is tested: Claude Code's files by walking, Codex's by what lists them elsewhere.
std::set<std::string> files_there(const TestHome& home, const std::string& codex) {
  std::set<std::string> lines;
  std::error_code ignored;
  struct stat status{};
  for (fs::recursive_directory_iterator at(home / "projects", ignored), end; at != end; at.increment(ignored)) {
    const std::string path = fs::path(at->path()).lexically_relative(home.folder()).string();
    const auto name = source_name("claude:" + path);
    if (!name || ::lstat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    std::string session = name->session;
    if (session.empty() && home.read(path).starts_with("{\"sessionId\"")) session = TestHome::id("f1");
    if (!session.empty()) lines.insert(shown("claude:" + path, session, status));
  }
  const auto sessions = codex_sessions(*Home::open(codex));
  if (sessions)
    for (const CodexSession& each : *sessions)
      if (::lstat((codex + "/" + each.path).c_str(), &status) == 0) lines.insert(shown("codex:" + each.path, each.id, status));
  return lines;
}

std::set<std::string> listed(SourceListing& listing) {
  std::set<std::string> lines;
  const auto sources = listing.get();
  if (!sources) return {sources.error().message};
  for (const Source& each : **sources)
    lines.insert(fmt::format("{} {} {} {} {}", each.key, each.session, each.size, each.stamp, each.incarnation));
  return lines;
}

// A home on which anything can be done, by small numbers.
class Playground {
 public:
  Playground() { fs::create_directories(outside()); }

  std::string codex() const { return home.outside() + "/.codex"; }
  std::string outside() const { return home.outside() + "/elsewhere"; }

  void act(int what, int one, int other) {
    const std::string a = file(one), b = file(other);
    std::error_code ignored;
    switch (what) {
      case 0:
      case 1:
        make_folders(a);
        return write(a, O_TRUNC, 1 + other);
      case 2:
      case 3:
        return write(a, O_APPEND, 1 + other);
      case 4:
        return fs::resize_file(a, static_cast<std::uintmax_t>(kFirstLine + other % 7), ignored);
      case 5:  // written beside it and put in place
        write(outside() + "/new", O_TRUNC, 1 + other);
        return fs::rename(outside() + "/new", a, ignored);
      case 6:
        return static_cast<void>(::unlink(a.c_str()));
      case 7:
        return fs::rename(a, b, ignored);
      case 8:
        return fs::rename(folder_inside(one), folder_inside(other), ignored);
      case 9:  // elsewhere, where nobody watches
        fs::remove(outside() + "/link", ignored);
        fs::create_hard_link(a, outside() + "/link", ignored);
        return;
      case 10:
        return write(outside() + "/link", O_APPEND, 1 + other, false);
      case 11:
        fs::create_hard_link(a, b, ignored);
        return write(b, O_APPEND, 2, false);
      case 12:
        return fs::create_symlink(b, a, ignored);
      case 13:
        return fs::create_directory_symlink(folder_inside(one), folder_inside(other), ignored);
      case 14:
        fs::create_directories(folder(one) + "/deep/deeper", ignored);
        return write(folder(one) + "/deep/deeper/x.txt", O_TRUNC, 3);
      case 15:
        return static_cast<void>(fs::remove_all(folder(one), ignored));
      case 16:
        return static_cast<void>(::chmod((other % 2 == 0 ? a : folder(one)).c_str(), other % 3 == 0 ? 0700 : 0600));
      case 17:  // another folder of the same name
        fs::remove_all(outside() + "/folder", ignored);
        fs::rename(folder_inside(one), outside() + "/folder", ignored);
        return fs::rename(outside() + "/folder", folder_inside(other), ignored);
      case 18:  // a time without a write
        return static_cast<void>(::utimensat(AT_FDCWD, a.c_str(), nullptr, AT_SYMLINK_NOFOLLOW));
      default:
        return fs::rename(file(one), outside() + "/away", ignored);
    }
  }
  static constexpr int kActions = 20, kFiles = 12;

  TestHome home;

 private:
  static constexpr int kFirstLine = 60;  // whose it is; a file that said so once is remembered

  std::string file(int number) const {
    const std::string session = "/projects/-a/" + TestHome::id("a1");
    const std::string rollout = "/rollout-2026-11-15T10-00-00-019a0000-0000-7000-8000-00000000000";
    const std::vector<std::string> files = {
        home.folder() + session + ".jsonl",
        home.folder() + session + "/subagents/agent-ab1.jsonl",
        home.folder() + session + "/tool-results/b1.txt",
        home.folder() + session + "/tool-results/b2.txt",
        home.folder() + "/projects/-a/" + TestHome::id("a2") + ".jsonl",
        home.folder() + "/projects/-a/agent-cd2.jsonl",
        home.folder() + "/projects/-b/" + TestHome::id("a1") + ".jsonl",
        home.folder() + "/projects/-b/" + TestHome::id("a2") + "/tool-results/deep/er/b1.txt",
        codex() + "/sessions/2026/11/15" + rollout + "1.jsonl",
        codex() + "/sessions/2026/11/15" + rollout + "2.jsonl",
        codex() + "/sessions/2026/11/16" + rollout + "1.jsonl",
        codex() + "/archived_sessions" + rollout + "1.jsonl",
    };
    return files[static_cast<std::size_t>(number) % files.size()];
  }
  std::string folder(int number) const {
    const std::string a = home / "projects/-a", b = home / "projects/-b";
    const std::vector<std::string> folders = {a,
                                              b,
                                              a + "/" + TestHome::id("a1"),
                                              a + "/" + TestHome::id("a2"),
                                              b + "/" + TestHome::id("a1"),
                                              b + "/" + TestHome::id("a2"),
                                              a + "/" + TestHome::id("a1") + "/tool-results",
                                              a + "/" + TestHome::id("a1") + "/subagents",
                                              home / "projects",
                                              codex() + "/sessions/2026/11/15",
                                              codex() + "/sessions/2026/11/16",
                                              codex() + "/sessions/2026"};
    return folders[static_cast<std::size_t>(number) % folders.size()];
  }
  // Not an area: where that leads is settled when it is first used (home.h).
  std::string folder_inside(int number) const { return folder(number == 8 ? 0 : number); }
  static void make_folders(const std::string& file) {
    std::error_code ignored;
    fs::create_directories(fs::path(file).parent_path(), ignored);
  }
  static void write(const std::string& path, int flags, int size, bool create = true) {
    const Fd opened(::open(path.c_str(), O_WRONLY | O_NOFOLLOW | (create ? O_CREAT : 0) | flags, 0600));
    const std::string bytes =
        "{\"sessionId\":\"" + TestHome::id("f1") + "\"}\n" + std::string(static_cast<std::size_t>(size), 'x');
    if (opened) static_cast<void>(::write(opened.get(), bytes.data(), bytes.size()));
  }
};

RC_GTEST_PROP(KeptListing, IsWhatAFreshLookWouldSay, ()) {
  Playground playground;
  const Homes homes = *Homes::open(playground.home.folder(), playground.codex());
  SourceListing kept(homes, kKept), plain(homes, {});
  const auto actions =
      *rc::gen::resize(60, rc::gen::container<std::vector<std::tuple<int, int, int, bool>>>(
                               rc::gen::tuple(rc::gen::inRange(0, Playground::kActions), rc::gen::inRange(0, Playground::kFiles),
                                              rc::gen::inRange(0, Playground::kFiles), rc::gen::arbitrary<bool>())));
  for (const auto& [what, one, other, compare] : actions) {
    playground.act(what, one, other);
    if (!compare) continue;
    const auto there = files_there(playground.home, playground.codex());
    RC_ASSERT(listed(kept) == there);
    RC_ASSERT(listed(plain) == there);
  }
  RC_ASSERT(listed(kept) == files_there(playground.home, playground.codex()));
  RC_ASSERT(kept.is_kept());
}

class Listing : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& bytes = "{}\n") { home_.write(path, bytes); }
  void check(SourceListing& listing) { EXPECT_EQ(listed(listing), files_there(home_, codex_)); }

  TestHome home_;
  std::string codex_ = home_.outside() + "/.codex";
  Homes homes_ = *Homes::open(home_.folder(), codex_);
  SourceListing kept_{homes_, kKept};
  const std::string first_ = "projects/-a/" + TestHome::id("a1") + ".jsonl";
  const std::string second_ = "projects/-a/" + TestHome::id("a2") + ".jsonl";
};

TEST_F(Listing, WhatHasNotChangedIsTheSameObject) {
  write(first_);
  write(second_);
  const auto before = kept_.get().value();
  EXPECT_TRUE(kept_.is_kept());
  EXPECT_EQ(before->size(), 2U);
  EXPECT_EQ(kept_.get().value(), before);
  home_.append(first_, "{}\n");
  const auto after = kept_.get().value();
  EXPECT_NE(after, before);
  EXPECT_EQ(kept_.get().value(), after);
  EXPECT_EQ(before->front().size + 3, after->front().size);
}

TEST_F(Listing, AHomeThatComesLaterAndGoesIsSeen) {
  fs::remove_all(home_.folder());
  EXPECT_TRUE(kept_.get().value()->empty());
  write(first_);
  check(kept_);
  EXPECT_EQ(kept_.get().value()->size(), 1U);
  fs::rename(home_ / "projects", home_ / "moved");
  EXPECT_TRUE(kept_.get().value()->empty());
  write(second_);
  check(kept_);
  fs::remove_all(home_.folder());
  EXPECT_TRUE(kept_.get().value()->empty());
}

TEST_F(Listing, AnAreaMayBeALinkThatIsMadeToPointElsewhere) {
  write(first_);
  fs::rename(home_ / "projects", home_.outside() + "/one");
  fs::create_directory_symlink(home_.outside() + "/one", home_ / "projects");
  EXPECT_EQ(kept_.get().value()->size(), 1U);
  fs::create_directories(home_.outside() + "/two/-b");
  std::ofstream(home_.outside() + "/two/-b/" + TestHome::id("a2") + ".jsonl") << "{}\n";
  fs::remove(home_ / "projects");
  fs::create_directory_symlink(home_.outside() + "/two", home_ / "projects");
  const auto sources = kept_.get().value();
  ASSERT_EQ(sources->size(), 1U);
  EXPECT_EQ(sources->front().session, TestHome::id("a2"));
}

TEST_F(Listing, AWriteUnderAnotherNameIsSeen) {
  write(first_);
  kept_.get().value();
  fs::create_hard_link(home_ / first_, home_.outside() + "/link");
  std::ofstream(home_.outside() + "/link", std::ios::app) << "more\n";
  check(kept_);
  EXPECT_TRUE(kept_.is_kept());
}

TEST_F(Listing, WhatIsWrittenToMappedMemoryIsSeenWhileItsFileIsOpen) {
  write(first_);
  kept_.get().value();
  const Fd opened(::open((home_ / first_).c_str(), O_RDWR));
  ASSERT_EQ(::ftruncate(opened.get(), 100), 0);
  check(kept_);
  void* memory = ::mmap(nullptr, 100, PROT_READ | PROT_WRITE, MAP_SHARED, opened.get(), 0);
  ASSERT_NE(memory, MAP_FAILED);
  // A time that is surely another.
  const timespec past[2] = {{1, 0}, {1, 0}};
  ASSERT_EQ(::futimens(opened.get(), past), 0);
  check(kept_);
  static_cast<char*>(memory)[50] = 'x';
  check(kept_);
  ::munmap(memory, 100);
}

TEST_F(Listing, MoreThanTheQueueHoldsIsLookedForAnew) {
  write(first_);
  kept_.get().value();
  int most = 0;
  std::ifstream("/proc/sys/fs/inotify/max_queued_events") >> most;
  ASSERT_GT(most, 0);
  // Neighbours in the queue that are alike become one, so two files take turns.
  write(second_);
  kept_.get().value();
  for (int i = 0; i < most; ++i) ::chmod((home_ / (i % 2 == 0 ? first_ : second_)).c_str(), i % 4 < 2 ? 0600 : 0644);
  home_.append(first_, "behind all that\n");
  write("projects/-new/" + TestHome::id("a3") + ".jsonl");
  check(kept_);
  EXPECT_TRUE(kept_.is_kept());
  home_.append("projects/-new/" + TestHome::id("a3") + ".jsonl", "and watched\n");
  check(kept_);
}

TEST_F(Listing, WithTooFewWatchesEverythingIsLookedAt) {
  for (int i = 1; i < 9; ++i) write("projects/-a/" + TestHome::id("a" + std::to_string(i)) + ".jsonl");
  for (const std::size_t most : {1U, 2U, 3U, 7U}) {
    SourceListing listing(homes_, {true, most});
    check(listing);
    EXPECT_FALSE(listing.is_kept());
    home_.append(first_, "more\n");
    write("projects/-b/" + TestHome::id("a9") + ".jsonl");
    check(listing);
    fs::remove_all(home_ / "projects/-b");
    check(listing);
  }
  SourceListing enough(homes_, {true, 10});
  check(enough);
  EXPECT_TRUE(enough.is_kept());
  for (int i = 1; i < 9; ++i) write("projects/-c/" + TestHome::id("a" + std::to_string(i)) + ".jsonl");
  check(enough);
  EXPECT_FALSE(enough.is_kept());
  home_.append(first_, "more\n");
  check(enough);
}

TEST_F(Listing, WatchesOfWhatIsGoneAreGivenBack) {
  SourceListing listing(homes_, {true, 10});
  for (int i = 0; i < 100; ++i) {
    write("projects/-a/" + TestHome::id("a1") + "/tool-results/b" + std::to_string(i) + ".txt", "x");
    check(listing);
    if (i % 3 == 0)
      fs::remove_all(home_ / "projects/-a");
    else
      fs::remove(home_ / ("projects/-a/" + TestHome::id("a1") + "/tool-results/b" + std::to_string(i) + ".txt"));
    check(listing);
  }
  EXPECT_TRUE(listing.is_kept());
}

TEST_F(Listing, ACompressedRolloutIsAsLongAsWhatItHolds) {
  const std::string folder = codex_ + "/sessions/2026/07/01";
  const std::string rollout = folder + "/rollout-2026-07-01T10-00-00-019a0000-0000-7000-8000-000000000001.jsonl";
  fs::create_directories(folder);
  std::ofstream(rollout + ".zst") << "not compressed";
  EXPECT_TRUE(kept_.get().value()->empty());
  const std::string text(5000, '\n');
  std::ofstream(rollout + ".zst") << packed(text);
  const auto compressed = kept_.get().value();
  ASSERT_EQ(compressed->size(), 1U);
  EXPECT_EQ(compressed->front().size, text.size());
  EXPECT_EQ(kept_.get().value(), compressed);
  std::ofstream(rollout) << "{}\n";
  const auto plain = kept_.get().value();
  ASSERT_EQ(plain->size(), 1U);
  EXPECT_EQ(plain->front().size, 3U) << "the plain one wins";
}

TEST_F(Listing, ASubagentBelongsToNobodyUntilItsFirstLineSaysSo) {
  const std::string path = "projects/-a/agent-ab1.jsonl";
  write(path, "{\"session");
  EXPECT_TRUE(kept_.get().value()->empty());
  home_.append(path, "Id\":\"" + TestHome::id("f1") + "\"}\n");
  check(kept_);
  EXPECT_EQ(kept_.get().value()->size(), 1U);
}

// Each thread sees its own line, whoever of them takes the news from the kernel.
TEST_F(Listing, SeveralThreadsSeeWhatTheyWrote) {
  constexpr int kThreads = 4, kRounds = 200;
  std::atomic<int> missed = 0;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) write("projects/-a/" + TestHome::id("b" + std::to_string(thread)) + ".jsonl");
  for (int thread = 0; thread < kThreads; ++thread)
    threads.emplace_back([&, thread] {
      const std::string session = TestHome::id("b" + std::to_string(thread));
      std::uint64_t size = 3;
      for (int round = 0; round < kRounds; ++round) {
        home_.append("projects/-a/" + session + ".jsonl", "line\n");
        size += 5;
        const auto sources = kept_.get();
        if (!sources ||
            std::ranges::none_of(**sources, [&](const Source& each) { return each.session == session && each.size == size; }))
          ++missed;
      }
    });
  threads.clear();
  EXPECT_EQ(missed, 0);
  check(kept_);
}

}  // namespace
}  // namespace holdfast::transcripts
