#pragma once

// Threads and research as this program runs them, the same for servers and commands: models, search providers and links as the
// settings say. The context outlives it.

#include "base/identity.h"
#include "cli/program/context.h"
#include "cli/services/past_transcripts.h"
#include "kinds/research/run/run.h"
#include "kinds/research/sources/fetch.h"
#include "kinds/research/sources/providers.h"
#include "kinds/threads/threads.h"
#include "model/models.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::cli {

// What does not depend on who asks. Any thread.
class ResearchParts {
 public:
  // transcripts: what a server searches them with; empty: something of its own. Errors: invalid (a setting that means nothing).
  static Result<std::unique_ptr<ResearchParts>> make(const Context& context,
                                                     std::function<Result<OpenTranscripts>()> transcripts = {});

  model::Models& models() { return *models_; }
  // Over a view of the store, which outlives what is made.
  std::unique_ptr<threads::Threads> threads(session::Store& store);
  std::unique_ptr<research::Research> research(session::Store& store);

  // Those of the settings and, for one run, of further folders, as far as who asks may see them; with what had to be left out.
  Result<research::MadeProviders> providers(session::Store& store, const std::vector<std::string>& folders,
                                            const Identity& asker) const;

 private:
  explicit ResearchParts(const Context& context) : context_(context) {}

  const Context& context_;
  std::unique_ptr<model::Models> models_;
  std::unique_ptr<research::Fetcher> fetcher_;
  research::PastTranscripts transcripts_;
};

// All of it for one who asks: of a command.
class ResearchService {
 public:
  static Result<std::unique_ptr<ResearchService>> make(const Context& context, session::Store& store);

  threads::Threads& threads() { return *threads_; }
  research::Research& research() { return *research_; }

 private:
  std::unique_ptr<ResearchParts> parts_;
  std::unique_ptr<threads::Threads> threads_;
  std::unique_ptr<research::Research> research_;
};

// Whoever asked for the run may have been allowed to see some projects alone.
Identity owner_of_run(const session::SessionRecord& run);

// An existing folder as an absolute path. Errors: not_found.
Result<std::string> corpus_folder(const std::string& given);

}  // namespace holdfast::cli
