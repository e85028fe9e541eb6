#pragma once

// The first lines of an answer, as bytes.

#include "net/http/http_server.h"

#include <string>

namespace holdfast::net {

// How the body will be delimited, and whether the connection goes on after it.
struct ResponseFraming {
  enum class Body { sized, chunked, until_close, none };
  Body body = Body::sized;
  std::size_t size = 0;  // Body::sized
  bool http_1_0 = false;
  bool keep_alive = true;
};

// Appends status line, headers and the closing blank line. Date, Connection and what frames the body
// come from here, so a caller's own are left out; line ends inside a caller's header become blanks
// and a header with an impossible name is left out, so that no value can add a header of its own.
// Server thread only (the date is kept for a second).
void append_head(std::string& out, int status, const HttpHeaders& headers, const ResponseFraming& framing);

// Whether an answer of this status may have a body at all.
bool status_has_body(int status);

}  // namespace holdfast::net
