#pragma once

// The phases of an iteration: planning, gathering, analysis, synthesis, refinement (threads-and-research §10).
//
// Each looks at the state, does the units that have no mark, and returns; called again after a crash, it does the rest. Errors:
// cancelled when the worker has to stop (Journal::lease says why), those of the store, and those that end the run as failed
// (PROVIDER_ERROR, NO_SOURCES, …). One thread calls them, one after the other.

#include "kinds/research/engine/engine.h"
#include "kinds/research/run/journal.h"
#include "kinds/research/sources/fetch.h"
#include "kinds/research/sources/search_provider.h"

#include <utility>

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
  // What the thinker makes of a step; `name` is what a person calls it. What a model cannot do, because a budget ran out
  // meanwhile or because its answer is no use, the program does, and the report says so.
  template <class Step>
  auto think(std::string_view name, const Step& step) const -> decltype(step(std::declval<Engine&>())) {
    Engine& who = thinker();
    auto made = step(who);
    if (made || &who == &program || !takes_over(name, made.error())) return made;
    return step(program);
  }

 private:
  bool takes_over(std::string_view step, const Error& error) const;
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
