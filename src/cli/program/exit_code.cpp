#include "cli/program/exit_code.h"

namespace holdfast::cli {

int exit_code(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return 2;
    case ErrorKind::not_found:
      return 3;
    case ErrorKind::ambiguous:
      return 4;
    case ErrorKind::refused:
    case ErrorKind::conflict:
      return 5;
    case ErrorKind::corrupt:
    case ErrorKind::too_large:
      return 6;
    case ErrorKind::unavailable:
    case ErrorKind::timeout:
    case ErrorKind::unauthorised:
      return 7;
    case ErrorKind::cancelled:
    case ErrorKind::io:
    case ErrorKind::internal:
      return 1;
  }
  return 1;
}

int exit_code(const Error& error) {
  constexpr int kBySignalInt = 128 + 2;
  return error.code == kInterrupted ? kBySignalInt : exit_code(error.kind);
}

}  // namespace holdfast::cli
