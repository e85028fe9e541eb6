// Workers on research runs killed at every write, before and after it (threads-and-research §12): the resumed run repeats only
// what was not written, its findings do not double, its report is the one of a run that nobody disturbed. A run deleted meanwhile
// does not come back, and of two processes one works.

#include "base/files/test_folder.h"
#include "kinds/research/run/run.h"
#include "kinds/research/run/run_state.h"
#include "kinds/research/sources/test_providers.h"
#include "model/test_models.h"
#include "session/life/lifecycle.h"
#include "store/open.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <set>

namespace holdfast::research {
namespace {

using namespace session;

enum class When { before, after };

// Forwards to the real store and kills this very process around its n-th write.
class DyingStore final : public Store {
 public:
  DyingStore(Store& inner, int kill_at, When when) : inner_(inner), kill_at_(kill_at), when_(when) {}

  int writes() const { return writes_; }

  Result<SearchResult> search(const SearchQuery& query) override { return inner_.search(query); }
  Result<Verification> verify(std::string_view session) override { return inner_.verify(session); }
  Result<Integrity> integrity() override { return inner_.integrity(); }
  const std::string& secret() const override { return inner_.secret(); }
  Result<StoreInfo> info() override { return inner_.info(); }
  Result<std::unique_ptr<Subscription>> subscribe(SubscribeOptions options) override {
    return inner_.subscribe(std::move(options));
  }
  Result<std::vector<Event>> events_after(std::int64_t sequence, std::size_t limit) override {
    return inner_.events_after(sequence, limit);
  }
  Result<std::int64_t> last_sequence() override { return inner_.last_sequence(); }

 protected:
  Result<void> look(Moments, const Question& question) override { return question(inner_); }
  Result<void> run(const Work& work) override {
    const int number = ++writes_;
    if (number == kill_at_ && when_ == When::before) ::kill(::getpid(), SIGKILL);
    auto done = inner_.write([&](Transaction& transaction) { return work(transaction); });
    if (number == kill_at_ && when_ == When::after) ::kill(::getpid(), SIGKILL);
    return done;
  }

 private:
  Store& inner_;
  const int kill_at_;
  const When when_;
  std::atomic<int> writes_ = 0;
};

// What providers and models were asked, in a file that outlives the worker.
class CallLog {
 public:
  explicit CallLog(std::string path) : path_(std::move(path)) {}

  void add(std::string line) const {
    std::ranges::replace(line, '\n', ' ');
    line += '\n';
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0 || ::write(fd, line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(3);
    ::close(fd);
  }
  std::map<std::string, int> counts() const {
    std::map<std::string, int> counts;
    std::ifstream file(path_);
    for (std::string line; std::getline(file, line);) ++counts[line];
    return counts;
  }
  void clear() const { ::unlink(path_.c_str()); }

 private:
  std::string path_;
};

std::string between(const std::string& text, const std::string& from, char to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "";
  return text.substr(at + from.size(), text.find(to, at + from.size()) - at - from.size());
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

// Two iterations, two providers, links to follow, one source each question has.
Result<model::Reply> answer(const model::Ask& ask, const CallLog& log) {
  using model::ScriptedModels;
  const std::string& prompt = ask.messages.back().content;
  if (prompt.find("Are these results enough") != std::string::npos) {
    log.add("judge " + between(prompt, "This part: ", '\n') + " " + between(prompt, "Searched for: ", '\n'));
    return ScriptedModels::reply(R"({"enough":true})");
  }
  log.add(fmt::format("{} {}", ask.purpose, count_of(prompt, "<<<DATA")));
  if (ask.purpose == "planning")
    return ScriptedModels::reply(
        R"({"brief":"b","sub_queries":[{"query":"pumps","priority":9},{"query":"valves","priority":8}]})");
  if (ask.purpose == "analysis") {
    const std::string number = between(prompt, " source ", '>');
    return ScriptedModels::reply(fmt::format(
        R"({{"findings":[{{"ref":"f","content":"Finding from {0}.","sources":[{0}]}}],"gaps":[{{"description":"gap after {0}","suggested_queries":["seals"]}}]}})",
        number));
  }
  if (ask.purpose == "synthesis") return ScriptedModels::reply("# Report\n\nPumps turn [1] and valves close [2].");
  return ScriptedModels::reply(R"({"follow_up_queries":[{"query":"seals"}]})");
}

class LoggedFetcher final : public Fetcher {
 public:
  explicit LoggedFetcher(const CallLog& log) : log_(log) {}
  ScriptedFetcher scripted;

  Result<Fetched> fetch(std::string_view uri, std::chrono::milliseconds timeout,
                        const std::function<bool()>& cancelled) override {
    log_.add("fetch " + std::string(uri));
    return scripted.fetch(uri, timeout, cancelled);
  }

 private:
  const CallLog& log_;
};

struct Kit {
  Kit(Store& used, CallLog log, bool with_model) : store(used), calls(std::move(log)) {
    if (with_model)
      models = std::make_unique<model::ScriptedModels>([this](const model::Ask& ask) { return answer(ask, calls); });
    for (const std::string word : {"pumps", "valves", "seals"})
      fetcher.scripted.pages["https://example.org/" + word] = "All about " + word + " stands on this page, in a whole sentence.";
  }

  Research research() {
    return Research(Tools{store, *models,
                          [this](const SessionRecord&, const std::vector<std::string>&) -> Result<Providers> {
                            Providers providers;
                            providers.push_back(provider("local"));
                            providers.push_back(provider("web"));
                            return providers;
                          },
                          fetcher, "minimal", 300'000, nullptr});
  }
  std::unique_ptr<SearchProvider> provider(const std::string& name) {
    return std::make_unique<ScriptedProvider>(name, [this, name](const SearchAsk& ask) -> Result<std::vector<Found>> {
      calls.add("search " + name + " " + ask.query);
      if (hold) hold();
      const std::string word = ask.query.substr(0, ask.query.find(' '));
      if (name == "local")
        return std::vector<Found>{
            document("corpus://notes/" + word, "Note on " + word, "A note says that " + word + " are needed.")};
      return std::vector<Found>{web_page("https://example.org/" + word, "Page on " + word, "a snippet")};
    });
  }

  Store& store;
  CallLog calls;
  std::unique_ptr<model::ScriptedModels> models = std::make_unique<model::ScriptedModels>();
  LoggedFetcher fetcher{calls};
  std::function<void()> hold;
};

struct ResearchCrash : testing::Test {
  std::unique_ptr<Store> open() { return store::open_store("sqlite:" + (folder / "store.db")).value(); }

  std::string start(std::int64_t concurrent = 1) {
    const auto store = open();
    Kit kit(*store, calls, false);
    StartRequest request;
    request.query = "pumps, valves";
    request.limits = {{"max_concurrent", concurrent}, {"max_iterations", 2}};
    return kit.research().start(request).value().id;
  }

  // A process of its own that works on the run; exit 0 worked, 1 failed, 2 already running or over.
  pid_t fork_worker(const std::string& id, bool with_model, int kill_at, When when, const std::function<void()>& hold = {}) {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const auto inner = open();
    DyingStore dying(*inner, kill_at, when);
    Kit kit(dying, calls, with_model);
    kit.hold = hold;
    const auto outcome = kit.research().work(id, {});
    if (!outcome) ::_exit(outcome.error().word() == "ALREADY_COMPLETED" ? 2 : 1);
    ::_exit(outcome->already_running ? 2 : 0);
  }
  static int wait(pid_t pid) {
    int status = 0;
    EXPECT_EQ(::waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }

  struct Seen {
    std::string status, report;
    std::vector<std::string> findings;
    std::vector<std::int64_t> citations;
    int writes = 0;
    bool operator==(const Seen& other) const {
      return status == other.status && report == other.report && findings == other.findings && citations == other.citations;
    }
  };
  // Works it to its end in this process.
  Seen finish(const std::string& id, bool with_model) {
    const auto inner = open();
    DyingStore counting(*inner, 0, When::before);
    Kit kit(counting, calls, with_model);
    auto worked = kit.research().work(id, {});
    Seen seen;
    if (!worked && worked.error().word() != "ALREADY_COMPLETED") ADD_FAILURE() << worked.error().message;
    seen.writes = counting.writes();
    const SessionRecord record = inner->get(id).value();
    seen.status = record.status;
    const JsonObject reply = kit.research().report("local", id).value();
    seen.report = find_string(reply, "report").value();
    const RunState state = read_state(*inner, id).value();
    for (const Finding& finding : state.findings) seen.findings.push_back(finding.content);
    for (const Source& source : state.sources) seen.citations.push_back(source.citation);
    EXPECT_TRUE(inner->verify(id).value().ok);
    return seen;
  }

  void kill_everywhere(bool with_model) {
    const Seen undisturbed = finish(start(), with_model);
    ASSERT_EQ(undisturbed.status, "completed");
    const auto once = calls.counts();
    for (const auto& [call, count] : once) EXPECT_EQ(count, 1) << call;
    int killed = 0;
    for (int kill_at = 1; kill_at <= undisturbed.writes; ++kill_at) {
      for (const When when : {When::before, When::after}) {
        SCOPED_TRACE(fmt::format("killed {} write {}", when == When::before ? "before" : "after", kill_at));
        calls.clear();
        const std::string id = start();
        ASSERT_EQ(wait(fork_worker(id, with_model, kill_at, when)), -SIGKILL);
        ++killed;
        const Seen resumed = finish(id, with_model);
        EXPECT_EQ(resumed.report, undisturbed.report);
        EXPECT_EQ(resumed.findings, undisturbed.findings) << "findings double, or vanish";
        EXPECT_EQ(resumed.citations, undisturbed.citations);
        EXPECT_EQ(resumed.status, "completed");
        int repeated = 0;
        const auto counts = calls.counts();
        EXPECT_EQ(counts.size(), once.size());
        for (const auto& [call, count] : counts) repeated += count - 1;
        // One worker, one thread: only the unit in hand can be lost, and none right after its commit.
        EXPECT_LE(repeated, when == When::before ? 1 : 0);
      }
    }
    fmt::print("{} kills, {} writes of a run, {} calls\n", killed, undisturbed.writes, once.size());
  }

  TestFolder folder;
  CallLog calls{folder / "calls"};
};

TEST_F(ResearchCrash, S12_KilledAtEveryWriteOfARunWithAModel) {
  kill_everywhere(true);
}

TEST_F(ResearchCrash, S12_KilledAtEveryWriteOfARunWithoutAModel) {
  kill_everywhere(false);
}

TEST_F(ResearchCrash, S12_KilledWithSeveralQuestionsInFlight) {
  const Seen undisturbed = finish(start(), true);
  for (int kill_at = 3; kill_at <= undisturbed.writes; kill_at += 2) {
    SCOPED_TRACE(fmt::format("killed at write {}", kill_at));
    const std::string id = start(3);
    ASSERT_EQ(wait(fork_worker(id, true, kill_at, When::before)), -SIGKILL);
    const Seen resumed = finish(id, true);
    EXPECT_TRUE(resumed == undisturbed) << resumed.report;
  }
}

TEST_F(ResearchCrash, S12_KilledAgainAndAgain) {
  const Seen undisturbed = finish(start(), true);
  const std::string id = start();
  int kills = 0;
  while (wait(fork_worker(id, true, 4, When::after)) == -SIGKILL) ASSERT_LT(++kills, 100);
  EXPECT_GT(kills, 3);
  EXPECT_TRUE(finish(id, true) == undisturbed);
}

TEST_F(ResearchCrash, S12_DeletedWhileItsWorkerWasDeadItStaysDeleted) {
  const std::string id = start();
  ASSERT_EQ(wait(fork_worker(id, true, 6, When::after)), -SIGKILL);
  const auto store = open();
  const auto deleted = store->write([&](Transaction& transaction) -> Result<Moved> {
    HF_TRY(SessionRecord record, transaction.get(id));
    return soft_delete(transaction, record);
  });
  ASSERT_TRUE(deleted) << deleted.error().message;
  EXPECT_EQ(deleted->record.status, "cancelled");
  Kit kit(*store, calls, true);
  EXPECT_EQ(kit.research().work(id, {}).error().word(), "DELETED");
  EXPECT_EQ(store->get(id).value().rev, deleted->record.rev);
  EXPECT_THAT(kit.research().abandoned().value(), testing::IsEmpty());
}

TEST_F(ResearchCrash, S12_DeletedUnderALivingWorkerNothingIsWrittenAnyMore) {
  const std::string id = start();
  int searching[2], go_on[2];
  ASSERT_EQ(::pipe(searching), 0);
  ASSERT_EQ(::pipe(go_on), 0);
  const pid_t worker = fork_worker(id, true, 0, When::before, [&] {
    char byte = 0;
    if (::write(searching[1], "x", 1) != 1 || ::read(go_on[0], &byte, 1) != 1) ::_exit(4);
  });
  char byte = 0;
  ASSERT_EQ(::read(searching[0], &byte, 1), 1);
  std::int64_t rev = 0;
  {
    const auto store = open();
    const auto deleted = store->write([&](Transaction& transaction) -> Result<Moved> {
      HF_TRY(SessionRecord record, transaction.get(id));
      return soft_delete(transaction, record);
    });
    ASSERT_TRUE(deleted);
    rev = store->get(id).value().rev;
  }
  ASSERT_EQ(::write(go_on[1], "xxxxxxxx", 8), 8);
  EXPECT_EQ(wait(worker), 0) << "it ends quietly";
  const SessionRecord record = open()->get(id).value();
  EXPECT_EQ(record.rev, rev);
  EXPECT_EQ(record.visibility, Visibility::deleted);
  for (const int fd : {searching[0], searching[1], go_on[0], go_on[1]}) ::close(fd);
}

TEST_F(ResearchCrash, S12_OfTwoProcessesOneWorks) {
  const Seen undisturbed = finish(start(), true);
  for (int round = 0; round < 8; ++round) {
    calls.clear();
    const std::string id = start();
    const pid_t first = fork_worker(id, true, 0, When::before), second = fork_worker(id, true, 0, When::before);
    std::multiset<int> ends{wait(first), wait(second)};
    EXPECT_THAT(ends, testing::ElementsAre(0, 2));
    for (const auto& [call, count] : calls.counts()) EXPECT_EQ(count, 1) << call;
    EXPECT_TRUE(finish(id, true) == undisturbed);
  }
}

}  // namespace
}  // namespace holdfast::research
