#pragma once

// The parts of the page of one run. Texts come from models and from strangers' pages: all of it is escaped, and an address is
// only a link when it is one of the web.

#include "kinds/research/run/run_state.h"
#include "web/pages/html.h"

#include <string>
#include <string_view>

namespace holdfast::web {

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
