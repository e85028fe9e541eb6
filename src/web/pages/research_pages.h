#pragma once

// Research in progress and what came of it.

#include "kinds/research/run/run.h"
#include "kinds/research/run/run_state.h"
#include "web/pages/html.h"
#include "web/pages/page.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace holdfast::web {

// Over what who asks may see; empty: runs are shown, and cannot be cancelled here.
using ResearchOpener = std::function<Result<std::unique_ptr<research::Research>>(session::Store&)>;

// `/research`: all runs, newest first; live.
Result<net::HttpResponse> research_page(session::Store& store, const PageRequest& request);
// `/research/ID`: phases, questions, findings, sources, the report with its citations; live while it works.
Result<net::HttpResponse> research_run_page(session::Store& store, const ResearchOpener& open, const PageRequest& request);

// The parts of the page of one run. Texts come from models and from strangers' pages: all of it is escaped, and an address is
// only a link when it is one of the web.
void show_phases(Html& page, std::string_view phase, std::string_view status);
// What went wrong on the way, and which files no search could find.
void show_warnings(Html& page, const session::SessionRecord& record);
// The last draft; [3] leads to the third source.
void show_report(Html& page, const research::RunState& state);
void show_questions(Html& page, const research::RunState& state);
void show_findings(Html& page, const research::RunState& state);
void show_sources(Html& page, const research::RunState& state);

// Markdown in which "[3]" leads to #source-3 when there is such a source; code is left alone.
std::string with_citation_links(std::string_view markdown, std::size_t sources);

}  // namespace holdfast::web
