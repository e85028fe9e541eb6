#include "web/pages/add_pages.h"

#include "web/pages/actions.h"
#include "web/pages/notices_page.h"
#include "web/pages/reader_page.h"
#include "web/pages/timeline_page.h"
#include "web/review/review_pages.h"

namespace holdfast::web {

namespace {

// A page over what who asks may see: the one place where pages get a view of the store.
template <class Page>
PageHandler seen(const session::SharedStore& stores, Page page) {
  return [&stores, page](const PageRequest& request) -> Result<net::HttpResponse> {
    session::StoreView store(stores, request);
    return page(store, request);
  };
}

void add_session_pages(Pages& pages, const PageServices& services, const Transcripts& transcripts) {
  const session::SharedStore& stores = services.stores;
  const auto reading = [&stores, transcripts, kinds = services.kinds,
                        cache = std::make_shared<transcripts::ReadingCache>()](auto page) {
    return seen(stores, [transcripts, kinds, cache, page](session::Store& store, const PageRequest& request) {
      return page(Reader{store, transcripts, kinds, cache}, request);
    });
  };
  pages.get("/sessions/{}", reading(reader_page));
  pages.get("/sessions/{}/record", reading(record_page));
  pages.get("/sessions/{}/raw", reading(raw_record));
  pages.get("/sessions/{}/image", reading(image_of_session));
  pages.get("/sessions/{}/family", seen(stores, [transcripts](session::Store& store, const PageRequest& request) {
              return family_page(store, transcripts, request);
            }));
  pages.get("/sessions/{}/graph", seen(stores, [transcripts](session::Store& store, const PageRequest& request) {
              return graph_page(store, transcripts, request);
            }));
  pages.post("/sessions/{}/do/{}", seen(stores, [transcripts, policy = services.retention, open = services.research](
                                                    session::Store& store, const PageRequest& request) {
               return perform_action(store, transcripts, policy, open, request);
             }));
}

void add_review_pages(Pages& pages, const ReviewService& review) {
  pages.get("/review", [review](const PageRequest& request) { return review_page(review, request); });
  pages.get("/review/document", [review](const PageRequest& request) { return review_document_page(review, request); });
  pages.post("/review/decide", [review](const PageRequest& request) { return decide_changes(review, request); }, Scope::review);
  pages.post("/review/comment", [review](const PageRequest& request) { return comment_change(review, request); }, Scope::review);
}

void add_research_pages(Pages& pages, const session::SharedStore& stores, const ResearchOpener& open) {
  pages.get("/research", seen(stores, research_page));
  pages.get("/research/{}", seen(stores, [open](session::Store& store, const PageRequest& request) {
              return research_run_page(store, open, request);
            }));
}

void add_care_pages(Pages& pages, const PageServices& services) {
  const session::SharedStore& stores = services.stores;
  pages.get("/notices", seen(stores, [policy = services.retention, keeper = services.keeper](session::Store& store,
                                                                                             const PageRequest& request) {
              return notices_page(store, policy, keeper, request);
            }));
  pages.post("/notices/acknowledge", seen(stores, acknowledge_notices));
  pages.get(
      "/storage",
      [&stores, finder = services.finder, keeper = services.keeper, service = services.storage](const PageRequest& request) {
        return storage_page(stores, finder, keeper, service, request);
      },
      Scope::admin);
  pages.post("/storage/verify", [&stores](const PageRequest& request) { return verify_store(stores, request); }, Scope::admin);
}

}  // namespace

Pages make_pages(const PageServices& services) {
  Pages pages;
  const Transcripts transcripts = transcripts_of(services.keeper);
  pages.get("/", seen(services.stores, [transcripts](session::Store& store, const PageRequest& request) {
              return timeline_page(asker_of(store, transcripts, request.principal), request);
            }));
  pages.get("/search", seen(services.stores, [finder = services.finder](session::Store& store, const PageRequest& request) {
              return search_page(finder, store, request);
            }));
  add_session_pages(pages, services, transcripts);
  add_review_pages(pages, services.review);
  add_research_pages(pages, services.stores, services.research);
  add_care_pages(pages, services);
  return pages;
}

}  // namespace holdfast::web
