#pragma once

// The engine that asks a language model (threads-and-research §10).
//
// Every call is counted against the budgets and audited in the journal. Sources stand in prompts as delimited data that must not
// be obeyed. Answers that are no JSON get one repair request and then the deterministic fallback. Evidence that does not fit
// into the context is shrunk by a tenth, three times, and then split.

#include "kinds/research/engine/engine.h"
#include "kinds/research/run/journal.h"
#include "model/models.h"

#include <memory>

namespace holdfast::research {

// Both outlive it.
std::unique_ptr<Engine> make_model_engine(model::Models& models, Journal& journal);

}  // namespace holdfast::research
