#pragma once

// One error type for the whole program.
//
// An Error is a value: it says what went wrong in words a person can act on. The kind exists
// because somebody reacts differently to it; the mapping of kinds to JSON-RPC codes, tool texts,
// HTTP statuses and exit codes lives in one place each (mcp/wire/rpc.h, web/gateway/http_status.h, cli/program/exit_code.h).

#include <string>
#include <string_view>

namespace holdfast {

enum class ErrorKind {
  invalid,       // the caller's input is wrong; repeating it unchanged cannot succeed
  not_found,     // the thing named does not exist
  ambiguous,     // a prefix or a name fits more than one thing
  conflict,      // the thing changed since the caller looked at it
  refused,       // understood, and not allowed
  unauthorised,  // who is asking is not known, or a peer did not accept us
  corrupt,       // stored or received bytes are damaged
  too_large,     // a named limit was exceeded
  unavailable,   // a peer or the store cannot be reached now; later may work
  timeout,       // it took longer than allowed
  cancelled,     // the caller gave up
  io,            // the operating system said no
  internal       // a defect in this program
};

// "invalid", "not_found", ...: also the default code word of results that carry one.
std::string_view name_of(ErrorKind kind);

struct Error {
  ErrorKind kind = ErrorKind::internal;
  std::string message;  // what is wrong, and where
  std::string hint;     // what to do next; may be empty
  std::string code;     // a contract's own word for it ("no_root"); empty means name_of(kind)

  std::string_view word() const { return code.empty() ? name_of(kind) : std::string_view(code); }

  // Puts the place in front: "<where>: <message>". For adding context on the way up.
  Error within(std::string_view where) &&;
};

Error make_error(ErrorKind kind, std::string message, std::string hint = {}, std::string code = {});

// For a failed system call: message is "<what>: <strerror>", kind follows errno
// (ENOENT is not_found, EACCES refused, ENOSPC io, ...).
Error system_error(std::string_view what, int error_number);

}  // namespace holdfast
