#pragma once

// What an operation works with: who asks, what exists for them, where the call comes from, and ways to talk back while it works.
// Each surface makes one for a call; nothing of it is remembered, and no thread has an identity of its own.
//
// One call at a time uses it. What it names outlives the call. What a surface does not have it leaves as it is here: nobody's
// transcripts, no folder, and whatever needs more is refused.

#include "base/identity.h"
#include "catalogue/find.h"
#include "kinds/documents/workspace/workspace.h"
#include "kinds/transcripts/remote/archive_place.h"
#include "session/life/retention.h"
#include "session/query/finder.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace holdfast::runner {
class Runs;
struct RunReport;
}  // namespace holdfast::runner
namespace holdfast::threads {
class Threads;
}
namespace holdfast::research {
class Research;
struct StartRequest;
}  // namespace holdfast::research

namespace holdfast::operations {

inline constexpr std::int64_t kMaxList = 200;  // sessions of one list: a model reads all of it

struct GatedAction;  // sessions/removing.h
struct Situated;     // reasoning/situated.h
struct OfferedRoots;
enum class Situate : std::uint8_t;

// One of several that a person can choose from.
struct Choice {
  std::string value, title;
};
struct Chosen {
  std::string value;
  std::string_view ended = {};  // "declined", "cancelled" or "timeout", when nothing was chosen
};
// Which sessions a list is about: of these projects, and whether also those of none. No projects: all.
struct ListedRoots {
  std::vector<std::string> roots;
  bool rootless = false;
};
struct WholeStore {
  session::Store* store = nullptr;
  session::Store* seen_by = nullptr;  // what who asks may be told of; nullptr: everything
};
// Where what is made belongs, and with which program.
struct Place {
  std::string root_uri, root_name, client;
};

// What looks after the store as a whole, and after who may use it. Parts that a surface has nothing for are empty.
struct Administration {
  std::function<Result<session::Store*>(bool to_read)> store;
  std::string store_url, token_file;
  std::function<void(std::string_view step, std::uint64_t done, std::uint64_t total)> tell;  // of work that nobody can stop
};

// Documents under review, as who asks may see them.
struct Documents {
  std::shared_ptr<documents::Workspace> workspace;
  // In whose name they are changed. Errors: refused, when it is not known that a person decides.
  std::function<Result<documents::Asker>()> asker;
  // The path in the library of what somebody typed; empty: nothing else is understood.
  std::function<Result<std::string>(const std::string& typed)> path_of;
  bool commit_on_accept = false;
};

// What works through tasks for who asks.
struct Runner {
  std::string client;  // what they use
  std::function<Result<runner::Runs>(session::Store& store)> runs;
  // Until it is over: tells them how far it is, and stops when they do.
  std::function<Result<runner::RunReport>(runner::Runs& runs, session::Store& store, const std::string& id)> work;
};

class Context {
 public:
  virtual ~Context() = default;

  // ---- who asks, and what exists for them ----

  virtual const Identity& identity() const = 0;
  virtual Millis now() const = 0;
  virtual const session::RetentionPolicy& policy() const = 0;
  // As who asks sees it. to_read: nothing is made; not_found when there is none yet.
  virtual Result<session::Store*> store(bool to_read) = 0;
  // Transcripts are files of the user who runs the program. Errors: refused, for everybody else.
  virtual Result<const transcripts::Keeper*> keeper() { return not_offered("transcripts"); }
  // What was ended before this call that had died half way.
  virtual const transcripts::Recovered& recovered() const;
  virtual transcripts::RemoteOptions remote() const { return {}; }
  // Errors: refused, when no folder is under review.
  virtual Result<Documents> documents() { return not_offered("documents under review"); }
  virtual Result<Runner> runner() { return not_offered("runs of tasks"); }
  virtual Result<Administration> administration() { return not_offered("the store as a whole"); }

  // ---- where the call comes from ----

  // The session that this call is made from. Errors: not_found, asking for an id.
  virtual Result<transcripts::AnySession> calling_session();
  // Those that may be it; none of them is taken away.
  virtual std::vector<std::string> calling_sessions() { return {}; }
  // The project that who asks works in; nullopt: not known.
  virtual Result<std::optional<std::string>> project() { return std::nullopt; }
  // Where a relative path begins. Errors: invalid, when that is not known.
  virtual Result<std::string> absolute(const std::string& path);
  // Where an archive goes that nobody placed; `ending`: ".json.zst" or ".json".
  virtual Result<std::string> archive_path(const std::string& id, std::string_view ending);

  // ---- while it works ----

  virtual transcripts::Progress progress() { return {}; }
  // What leaves this machine, or concerns many sessions, is agreed to first. `plan`: facts as the operation would return them, to
  // be shown. Errors: refused.
  virtual Result<void> agree(const std::string& what, const JsonObject& plan) = 0;
  // What was asked for on standard output. Errors: refused, where that is the protocol's.
  virtual Result<void> print(std::string_view) {
    return fail(ErrorKind::refused, "standard output is not to be had here", "name a file");
  }

  // Told to stop. Asked from several threads.
  virtual std::function<bool()> cancelled() {
    return [] { return false; };
  }
  // Gets an answer piece by piece while it is written; empty: nobody looks.
  virtual std::function<void(std::string_view piece)> listener() { return {}; }

  // ---- what only some surfaces have; on the others, operations that need it are refused ----

  virtual Result<ListedRoots> listed_roots() { return ListedRoots{}; }
  virtual Result<Place> place() { return Place{}; }
  virtual std::int64_t longest_list() const { return kMaxList; }
  // nullopt: nobody can be asked. Errors: asked().
  virtual Result<std::optional<Chosen>> choose(const std::string&, const std::vector<Choice>&) { return std::nullopt; }
  // Does it once a person has said yes to it, and returns what has become of it: removing.h. Errors: asked(), refused, those of
  // doing it; nothing has happened then.
  virtual Result<JsonObject> confirm(const GatedAction& action);
  // All of the store, for care that is the system's own, whoever asks for it.
  virtual Result<WholeStore> whole_store();
  virtual Result<threads::Threads*> threads();
  virtual Result<research::Research*> research();
  // Puts what is unclear about a question to a person before a run begins. Errors: asked().
  virtual Result<void> clarify(research::StartRequest&) { return {}; }
  // Characters of a line, where what is drawn is shown.
  virtual std::size_t width() const { return 120; }
  // Where a line of reasoning goes on.
  virtual Result<Situated> situation(Situate how);
  virtual Result<OfferedRoots> offered_roots(Situated& situated);
  // ---- what not every surface has ----

  struct Search {
    session::Finder* finder = nullptr;
    search::PassageSources* sources = nullptr;
    search::TextIndex* index = nullptr;
    std::string index_folder = {};
    bool kept_up = true;  // somebody brings the index up to date, so that no call has to
  };
  // The search over everything. Errors: unavailable, those of opening it.
  virtual Result<Search> search() { return fail(ErrorKind::unavailable, "nothing is searched here"); }
  // The person's own table of prices; it need not be there.
  virtual std::string prices_file() { return {}; }

  // ---- made of the above ----

  // What exists for who asks, to find sessions with.
  catalogue::Asker asker();
  // The session of any kind under that id; an empty id is the transcript that calls. Errors: those of catalogue::find.
  Result<catalogue::Found> any_session(const std::string& id, const std::string& source_project);
  // keeper(), but a session that somebody else names is not there for them, as everywhere; without one they are refused. Errors:
  // those of catalogue::find_transcript, refused.
  Result<const transcripts::Keeper*> keeper_for(const std::string& id);
  // The same for what only transcripts have; looked for in one project alone, when that is given.
  Result<catalogue::Found> transcript(const std::string& id, const std::string& source_project);
  // A whole file, to print().
  Result<void> print_file(const std::string& path);
  // A folder as the client of transcripts would take it; nullopt when it was not given.
  Result<std::optional<std::string>> folder(const std::string& path);

 protected:
  static std::unexpected<Error> not_offered(std::string_view what);
};

}  // namespace holdfast::operations
