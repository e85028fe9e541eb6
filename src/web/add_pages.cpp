#include "web/add_pages.h"

#include "web/picture_pages.h"
#include "web/review_pages.h"
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
  pages.get("/review", [review = services.review](const PageRequest& request) { return review_page(review, request); });
  pages.get("/review/document",
            [review = services.review](const PageRequest& request) { return review_document_page(review, request); });
  pages.post("/review/decide",
             [review = services.review](const PageRequest& request) { return decide_changes(review, request); });
  pages.post("/review/comment",
             [review = services.review](const PageRequest& request) { return comment_change(review, request); });
  return pages;
}

}  // namespace holdfast::web
