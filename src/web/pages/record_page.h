#pragma once

// What a turn only refers to: a record as it stands in the file, the saved output of a tool, an image.
//
//   GET /sessions/{id}/record?line=7 or ?file=tool-results/x.txt   as text, in parts
//   GET /sessions/{id}/raw?…&part=0                                the bytes, for download
//   GET /sessions/{id}/image?ref=7/0                               png, jpeg, gif, webp: nothing else is ever served

#include "web/pages/reader_page.h"

namespace holdfast::web {

Result<net::HttpResponse> record_page(const Reader& reader, const PageRequest& request);
Result<net::HttpResponse> raw_record(const Reader& reader, const PageRequest& request);
Result<net::HttpResponse> image_of_session(const Reader& reader, const PageRequest& request);

}  // namespace holdfast::web
