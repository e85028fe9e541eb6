#include "web/gateway/login_page.h"

namespace holdfast::web {

net::HttpResponse login_needed_page(const PageRequest& request, bool code_was_wrong) {
  return show_bare_page(
      request, "Log in",
      [&](Html& page) {
        page.element("h1", "Please log in");
        if (code_was_wrong)
          page.element("p", "This address has been used already, or is older than ten minutes.", {{"class", "notice"}});
        page.open("p").text("On the machine that runs holdfast, type ").element("code", "holdfast login");
        page.text(" and open the address it prints. The address works once.").close();
      },
      401);
}

net::HttpResponse unknown_page(const PageRequest& request) {
  return show_bare_page(
      request, "Not found",
      [](Html& page) {
        page.element("h1", "There is nothing at this address");
        page.open("p").element("a", "To the timeline", {{"href", "/"}}).close();
      },
      404);
}

}  // namespace holdfast::web
