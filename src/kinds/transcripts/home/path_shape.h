#pragma once

// What a path looks like, without the names that differ from session to session: so that a thousand files of one new kind are
// one line of a report.

#include "kinds/transcripts/home/inventory.h"

namespace holdfast::transcripts {

// "projects/-home-u-p/<sid>/notes/wf_12ab34cd/3.txt" -> "projects/*/SESSION/notes/wf_HEX/N.txt"
std::string path_shape(std::string_view path, const SessionPlace& place);

}  // namespace holdfast::transcripts
