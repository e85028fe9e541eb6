#include "base/error.h"

#include <cerrno>
#include <cstring>
#include <utility>

namespace holdfast {
namespace {

ErrorKind kind_of_errno(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
    case ESRCH:
      return ErrorKind::not_found;
    case EACCES:
    case EPERM:
    case EROFS:
    case ELOOP:
      return ErrorKind::refused;
    case EEXIST:
    case ENOTEMPTY:
    case EADDRINUSE:
    case ETXTBSY:
      return ErrorKind::conflict;
    case EINVAL:
    case EISDIR:
    case ENAMETOOLONG:
      return ErrorKind::invalid;
    case EFBIG:
    case E2BIG:
    case EMSGSIZE:
      return ErrorKind::too_large;
    case EAGAIN:
    case ECONNREFUSED:
    case ECONNRESET:
    case ECONNABORTED:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EADDRNOTAVAIL:
    case EPIPE:
      return ErrorKind::unavailable;
    case ETIMEDOUT:
      return ErrorKind::timeout;
    case ECANCELED:
      return ErrorKind::cancelled;
    default:
      return ErrorKind::io;
  }
}

}  // namespace

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return "invalid";
    case ErrorKind::not_found:
      return "not_found";
    case ErrorKind::ambiguous:
      return "ambiguous";
    case ErrorKind::conflict:
      return "conflict";
    case ErrorKind::refused:
      return "refused";
    case ErrorKind::unauthorised:
      return "unauthorised";
    case ErrorKind::corrupt:
      return "corrupt";
    case ErrorKind::too_large:
      return "too_large";
    case ErrorKind::unavailable:
      return "unavailable";
    case ErrorKind::timeout:
      return "timeout";
    case ErrorKind::cancelled:
      return "cancelled";
    case ErrorKind::io:
      return "io";
    case ErrorKind::internal:
      return "internal";
  }
  return "internal";  // a value cast from outside the enumeration is a defect, too
}

Error Error::within(std::string_view where) && {
  message.insert(0, ": ").insert(0, where);
  return std::move(*this);
}

Error make_error(ErrorKind kind, std::string message, std::string hint, std::string code) {
  return {kind, std::move(message), std::move(hint), std::move(code)};
}

Error system_error(std::string_view what, int error_number) {
  // Not strerror: its buffer is shared between threads, and its text follows the locale.
  const char* text = ::strerrordesc_np(error_number);
  std::string message(what);
  message += ": ";
  message += text ? std::string(text) : "error " + std::to_string(error_number);
  return make_error(kind_of_errno(error_number), std::move(message));
}

}  // namespace holdfast
