#pragma once

// The phases of an iteration: planning, gathering, analysis, synthesis, refinement (threads-and-research §10).
//
// Each looks at the state, does the units that have no mark, and returns; called again after a crash, it does the rest. Errors:
// cancelled when the worker has to stop (Journal::lease says why), those of the store, and those that end the run as failed
// (PROVIDER_ERROR, NO_SOURCES, …). One thread calls them, one after the other.

#include "research/engine.h"
#include "research/fetch.h"
#include "research/journal.h"
#include "research/search_provider.h"

namespace holdfast::research {

struct Workshop {
  Journal& journal;
  Engine& engine;   // a model, or the same as `program`
  Engine& program;  // the extractive one: takes over when the budget for a model is spent
  Providers& providers;
  Fetcher& fetcher;

  bool has_model() const { return &engine != &program; }
  // Who thinks now. Notes the cut when a budget says that it cannot be the model.
  Engine& thinker() const;
  // Whether the time ran out while the model was thinking: what it could not do, the program does. Notes the cut.
  bool ran_out_of_time(const Engine& who) const;
};

// The entries and marks of a unit are written under keys made from it, so that nothing can be written twice.
session::NewEntry entry_of(const Unit& unit, std::string_view type, std::size_t index, std::string text, const JsonObject& data);

// The most important first, otherwise as they came; those beyond max_sub_queries are dropped. The rest get their ids.
JsonArray admit(std::vector<SubQuery>& questions, const Limits& limits);

Result<void> plan(Workshop& shop);
Result<void> gather(Workshop& shop, std::int64_t iteration);
Result<void> follow_links(Workshop& shop, std::int64_t iteration);  // the last part of gathering
Result<void> analyse(Workshop& shop, std::int64_t iteration);
Result<void> synthesise(Workshop& shop, std::int64_t iteration);
// Whether there is another iteration. A failure of the engine is not one of the run.
Result<bool> refine(Workshop& shop, std::int64_t iteration);

// All iterations up to the last report.
Result<void> run_phases(Workshop& shop);

}  // namespace holdfast::research
