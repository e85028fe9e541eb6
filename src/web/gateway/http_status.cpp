#include "web/gateway/http_status.h"

namespace holdfast::web {

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid:
      return 400;
    case ErrorKind::unauthorised:
      return 401;
    case ErrorKind::refused:
      return 403;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::ambiguous:
    case ErrorKind::conflict:
      return 409;
    case ErrorKind::too_large:
      return 413;
    case ErrorKind::unavailable:
    case ErrorKind::cancelled:
      return 503;
    case ErrorKind::timeout:
      return 504;
    case ErrorKind::corrupt:
    case ErrorKind::io:
    case ErrorKind::internal:
      return 500;
  }
  return 500;
}

}  // namespace holdfast::web
