#pragma once

// Who thinks in a run: a language model, or the program itself.
//
// An engine plans, judges, analyses, writes and refines; it stores nothing. What it returns is checked by the phases before it is
// committed: sources must exist, quotations must stand in them, citations must lead somewhere. Any thread may ask it.
//
// A model that answers, but not with what it was asked for, is no reason to end a run: its error is_no_use, and the program does
// that step instead (Workshop::think).

#include "kinds/research/run/job.h"
#include "kinds/research/run/run_state.h"
#include "kinds/research/sources/search_provider.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::model {
class Models;
}

namespace holdfast::research {

class Journal;

struct Planned {
  std::string brief;
  std::vector<std::string> assumptions;
  std::vector<SubQuery> questions;  // without ids
};

// One round of searching for one question.
struct Round {
  const SubQuery* question = nullptr;
  int number = 1;
  std::string searched;
  std::vector<Found> found;  // of all rounds so far
  bool found_new = false;    // in this one
};
struct Judgement {
  bool enough = true;
  std::string next;  // what to search for otherwise
};

struct Analysis {
  std::vector<Finding> findings;  // with ids
  std::vector<Gap> gaps;
  std::vector<Contradiction> contradictions;
  std::vector<std::string> resolved;            // ids of gaps these sources closed
  std::map<std::string, std::string> fidelity;  // by source id, when not full
};

struct Draft {
  std::string text;  // markdown without a list of sources
  std::string engine;
  bool truncated = false;
};

struct Refinement {
  std::vector<SubQuery> questions;  // without ids
  std::vector<std::string> resolved;
};

// The error code of an answer that has not the form that was asked for.
inline constexpr std::string_view kNoUse = "NO_USE";
// Prose instead of an object, a refusal, a prompt that does not fit however short it is made: asking again will not help. Not:
// an endpoint that is down.
bool is_no_use(const Error& error);

class Engine {
 public:
  virtual ~Engine() = default;

  virtual std::string name() const = 0;
  virtual Result<Planned> plan(const Job& job) = 0;
  virtual Result<Judgement> judge(const Job& job, const Round& round) = 0;
  // How many of these new sources, from the first, are looked at together. At least one.
  virtual std::size_t batch(const Job& job, const std::vector<const Source*>& sources) = 0;
  virtual Result<Analysis> analyse(const Job& job, const RunState& state, const std::vector<const Source*>& batch) = 0;
  virtual Result<Draft> synthesise(const Job& job, const RunState& state) = 0;
  virtual Result<Refinement> refine(const Job& job, const RunState& state) = 0;
};

// The engine that needs no model and no network (threads-and-research §10): it asks for the question and for its keyword groups,
// and answers with the best sentences of what it found, word for word. Deterministic: the same sources and question give the same
// report, byte for byte. It holds no state.
std::unique_ptr<Engine> make_extractive_engine();
// Runs of words that are neither stop words nor plain verbs, in the order of the question: "storage leases", "retries".
std::vector<std::string> keyword_groups(std::string_view question);

// The engine that asks a language model (threads-and-research §10). Every call is counted against the budgets and audited in the
// journal. Sources stand in prompts as delimited data that must not be obeyed. Answers that are no JSON get one repair request
// and then the deterministic fallback. Evidence that does not fit into the context is shrunk by a tenth, three times, and then
// split. Both outlive it.
std::unique_ptr<Engine> make_model_engine(model::Models& models, Journal& journal);

}  // namespace holdfast::research
