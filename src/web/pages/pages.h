#pragma once

// Which page is at which path.
//
// The table is filled once, before the first request (add_pages.h), and only read afterwards: any thread. The gateway
// (gateway.h) finds the page on the I/O thread, checks who asks, and runs the handler on the pool: handlers may block, and must
// be safe to run several at a time. Who is not logged in never reaches a handler; a POST reaches one only with the form token of
// the same login (logins.h) and from a page of ours; who lacks the scope that the page needs reaches none either. A handler
// sees what the login may see: it makes its view of the store from the request, which is its identity
// (session/query/store_view.h). An error that a handler returns becomes a page that shows it.

#include "base/identity.h"
#include "base/result.h"
#include "base/run/clock.h"
#include "net/http/http_server.h"
#include "web/gateway/fields.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::web {

// The identity is nobody's until the gateway has found out whose it is.
struct PageRequest : Identity {
  std::string path;                // as sent, without the query
  std::vector<std::string> parts;  // what stood in the place of each {} of the pattern, decoded
  Fields query;
  Fields form;                  // of a POST
  bool is_login = false;        // a person's login; false with --no-auth, where nobody knows who it is
  std::string cookie;           // the login's secret, for those who end it
  std::string form_token;       // what a form of the answer must carry (logins.h)
  std::string theme;            // "light", "dark", or empty: as the system has it
  bool wants_fragment = false;  // the script asks for the changing part alone (header X-Fragment)
  std::string version;          // of this program
  Millis now = 0;
};

using PageHandler = std::function<Result<net::HttpResponse>(const PageRequest& request)>;

class Pages {
 public:
  // "/sessions/{}/graph": each {} stands for one part of the path that is not empty. The first pattern that fits is taken.
  void get(std::string pattern, PageHandler handler, Scope needs = Scope::read);
  void post(std::string pattern, PageHandler handler, Scope needs = Scope::write);

  struct Match {
    const PageHandler* handler = nullptr;  // nullptr: there is such a path, but not with this method
    Scope needs = Scope::read;
    std::vector<std::string> parts;
    std::string allow;  // the methods that exist there, as the header wants them
  };
  // False when nothing is at the path. HEAD finds what GET finds.
  bool find(std::string_view method, std::string_view path, Match& match) const;

 private:
  struct Route {
    bool is_post;
    std::vector<std::string> pattern;
    PageHandler handler;
    Scope needs;
  };
  std::vector<Route> routes_;
};

}  // namespace holdfast::web
