#include "web/add_pages.h"

#include "web/notices_page.h"
#include "web/picture_pages.h"
#include "web/reader_page.h"
#include "web/record_page.h"
#include "web/review_pages.h"
#include "web/search_page.h"
#include "web/timeline_page.h"

namespace holdfast::web {

namespace {

void add_session_pages(Pages& pages, const PageServices& services, const Transcripts& transcripts) {
  const Reader reader{services.store, transcripts, services.kinds, std::make_shared<transcripts::ReadingCache>()};
  pages.get("/sessions/{}", [reader](const PageRequest& request) { return reader_page(reader, request); });
  pages.get("/sessions/{}/record", [reader](const PageRequest& request) { return record_page(reader, request); });
  pages.get("/sessions/{}/raw", [reader](const PageRequest& request) { return raw_record(reader, request); });
  pages.get("/sessions/{}/image", [reader](const PageRequest& request) { return image_of_session(reader, request); });
  pages.get("/sessions/{}/family", [&store = services.store, transcripts](const PageRequest& request) {
    return family_page(store, transcripts, request);
  });
  pages.get("/sessions/{}/graph", [&store = services.store](const PageRequest& request) { return graph_page(store, request); });
  pages.post("/sessions/{}/pin", [&store = services.store](const PageRequest& request) { return pin_session(store, request); });
}

void add_review_pages(Pages& pages, const ReviewService& review) {
  pages.get("/review", [review](const PageRequest& request) { return review_page(review, request); });
  pages.get("/review/document", [review](const PageRequest& request) { return review_document_page(review, request); });
  pages.post("/review/decide", [review](const PageRequest& request) { return decide_changes(review, request); }, Scope::review);
  pages.post("/review/comment", [review](const PageRequest& request) { return comment_change(review, request); }, Scope::review);
}

void add_research_pages(Pages& pages, session::Store& store, const ResearchOpener& open) {
  pages.get("/research", [&store](const PageRequest& request) { return research_page(store, request); });
  pages.get("/research/{}", [&store, open](const PageRequest& request) { return research_run_page(store, open, request); });
  pages.post("/research/{}/cancel", [open](const PageRequest& request) { return cancel_research(open, request); });
}

void add_care_pages(Pages& pages, const PageServices& services) {
  session::Store& store = services.store;
  pages.get("/notices", [&store, policy = services.retention, keeper = services.keeper](const PageRequest& request) {
    return notices_page(store, policy, keeper, request);
  });
  pages.post("/notices/acknowledge", [&store](const PageRequest& request) { return acknowledge_notices(store, request); });
  pages.get(
      "/storage",
      [&store, finder = services.finder, keeper = services.keeper, service = services.storage](const PageRequest& request) {
        return storage_page(store, finder, keeper, service, request);
      },
      Scope::admin);
  pages.post("/storage/verify", [&store](const PageRequest& request) { return verify_store(store, request); }, Scope::admin);
}

}  // namespace

Pages make_pages(const PageServices& services) {
  Pages pages;
  const Transcripts transcripts = transcripts_of(services.keeper);
  const Timeline timeline(services.store, services.keeper ? &services.keeper->homes() : nullptr, transcripts.kept);
  pages.get("/", [timeline](const PageRequest& request) { return timeline_page(timeline, request); });
  pages.get("/search", [finder = services.finder](const PageRequest& request) { return search_page(finder, request); });
  add_session_pages(pages, services, transcripts);
  add_review_pages(pages, services.review);
  add_research_pages(pages, services.store, services.research);
  add_care_pages(pages, services);
  return pages;
}

}  // namespace holdfast::web
