#pragma once

// Workers of runs that all belong to one.

#include "tools/research/research_workers.h"

namespace holdfast::tools {

inline ResearchWorkers::Runs runs_of(research::Research& research) {
  return {[&](const std::string& id, const research::WorkOptions& options) { return research.work(id, options); },
          [&] { return research.abandoned(); }};
}

}  // namespace holdfast::tools
