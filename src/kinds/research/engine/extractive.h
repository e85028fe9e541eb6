#pragma once

// The engine that needs no model and no network (threads-and-research §10): it asks for the question and for its keyword groups,
// and answers with the best sentences of what it found, word for word.
//
// Deterministic: the same sources and question give the same report, byte for byte. It holds no state.

#include "kinds/research/engine/engine.h"

namespace holdfast::research {

std::unique_ptr<Engine> make_extractive_engine();

// Runs of words that are neither stop words nor plain verbs, in the order of the question: "storage leases", "retries".
std::vector<std::string> keyword_groups(std::string_view question);

}  // namespace holdfast::research
