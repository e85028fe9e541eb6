#pragma once

// Threads and research as this program runs them, the same for servers and commands: models, search providers and links as the
// settings say. The context and the store outlive it.

#include "base/identity.h"
#include "cli/context.h"
#include "model/models.h"
#include "research/fetch.h"
#include "research/providers.h"
#include "research/run.h"
#include "threads/threads.h"

#include <memory>
#include <string>
#include <vector>

namespace holdfast::cli {

class ResearchService {
 public:
  // Errors: invalid (a setting that means nothing).
  static Result<std::unique_ptr<ResearchService>> make(const Context& context, session::Store& store);

  model::Models& models() { return *models_; }
  threads::Threads& threads() { return *threads_; }
  research::Research& research() { return *research_; }

  // Those of the settings and, for one run, of further folders, as far as who asks may see them; with what had to be left out.
  Result<research::MadeProviders> providers(const std::vector<std::string>& folders, const Identity& asker) const;

 private:
  ResearchService(const Context& context, session::Store& store) : context_(context), store_(store) {}

  const Context& context_;
  session::Store& store_;
  std::unique_ptr<model::Models> models_;
  std::unique_ptr<research::Fetcher> fetcher_;
  std::unique_ptr<threads::Threads> threads_;
  std::unique_ptr<research::Research> research_;
};

// An existing folder as an absolute path. Errors: not_found.
Result<std::string> corpus_folder(const std::string& given);

}  // namespace holdfast::cli
