#pragma once

// Research in progress and what came of it.

#include "kinds/research/run/run.h"
#include "web/pages/page.h"

#include <functional>
#include <memory>

namespace holdfast::web {

// Over what who asks may see; empty: runs are shown, and cannot be cancelled here.
using ResearchOpener = std::function<Result<std::unique_ptr<research::Research>>(session::Store&)>;

// `/research`: all runs, newest first; live.
Result<net::HttpResponse> research_page(session::Store& store, const PageRequest& request);
// `/research/ID`: phases, questions, findings, sources, the report with its citations; live while it works.
Result<net::HttpResponse> research_run_page(session::Store& store, const ResearchOpener& open, const PageRequest& request);

}  // namespace holdfast::web
