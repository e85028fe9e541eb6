#include "web/add_pages.h"

#include "web/picture_pages.h"
#include "web/search_page.h"
#include "web/timeline_page.h"

namespace holdfast::web {

Pages make_pages(const PageServices& services) {
  Pages pages;
  pages.get("/", [timeline = Timeline(services.store, services.keeper ? &services.keeper->homes() : nullptr)](
                     const PageRequest& request) { return timeline_page(timeline, request); });
  pages.get("/search", [finder = services.finder](const PageRequest& request) { return search_page(finder, request); });
  pages.get("/sessions/{}/family", [&store = services.store, keeper = services.keeper](const PageRequest& request) {
    return family_page(store, keeper, request);
  });
  pages.get("/sessions/{}/graph", [&store = services.store](const PageRequest& request) { return graph_page(store, request); });
  return pages;
}

}  // namespace holdfast::web
