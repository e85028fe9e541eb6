#include "web/add_pages.h"

#include "web/home_page.h"

namespace holdfast::web {

Pages make_pages(const PageServices& services) {
  Pages pages;
  pages.get("/", [&store = services.store](const PageRequest& request) { return home_page(store, request); });
  return pages;
}

}  // namespace holdfast::web
