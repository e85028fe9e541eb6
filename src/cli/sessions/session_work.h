#pragma once

// What commands on sessions of the store, on threads and on research work with: models and runs beside what every command has,
// and a person who is asked before something is taken away.

#include "cli/services/research_service.h"
#include "cli/transcripts/transcript_work.h"
#include "operations/reasoning/situated.h"

namespace holdfast::cli {

class SessionWork final : public TranscriptWork {
 public:
  // Errors: those of TranscriptWork::begin.
  static Result<std::unique_ptr<SessionWork>> begin(cli::Context& context);

  // The kind's own operation, else that of every kind: "export" of a thread.
  Result<operations::Facts> perform_for(std::string_view action, const session::SessionRecord& record,
                                        const operations::Given& given);
  // The session of the store that {session} names.
  Result<session::SessionRecord> record();
  // --root, else the folder Claude Code exports to its hooks, else where this runs: a person at a shell, or a hook, means the
  // project around it.
  Result<std::string> project_root() const;
  // An answer is printed while it comes; what was printed so far.
  void print_answers() { prints_ = true; }
  const std::string& printed() const { return printed_; }

  // A person at a shell sees everything; only a root that was asked for narrows a list.
  Result<operations::ListedRoots> listed_roots() override;
  Result<operations::Place> place() override;
  std::int64_t longest_list() const override { return 1000; }
  Result<JsonObject> confirm(const operations::GatedAction& action) override;
  Result<operations::WholeStore> whole_store() override;
  Result<threads::Threads*> threads() override;
  Result<research::Research*> research() override;
  Result<operations::Situated> situation(operations::Situate how) override;
  std::size_t width() const override { return context_.terminal.width; }
  std::function<void(std::string_view)> listener() override;

 private:
  using TranscriptWork::TranscriptWork;

  std::unique_ptr<ResearchService> service_;  // made when it is needed
  bool prints_ = false;
  std::string printed_;
};

}  // namespace holdfast::cli
