#include "web/add_pages.h"

#include "web/search_page.h"
#include "web/timeline_page.h"

namespace holdfast::web {

Pages make_pages(const PageServices& services) {
  Pages pages;
  pages.get("/", [timeline = Timeline(services.store, services.homes)](const PageRequest& request) {
    return timeline_page(timeline, request);
  });
  pages.get("/search", [finder = services.finder](const PageRequest& request) { return search_page(finder, request); });
  return pages;
}

}  // namespace holdfast::web
