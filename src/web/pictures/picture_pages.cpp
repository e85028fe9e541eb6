#include "session/query/display.h"
#include "web/pages/reader_page.h"
#include "web/pages/shown.h"
#include "web/pictures/picture.h"

#include <fmt/format.h>

namespace holdfast::web {

namespace {

void write_heading(Html& page, const Subject& subject, std::string_view what) {
  page.element("p", what, {{"class", "soft"}});
  page.open("h1").element("a", subject.title, {{"href", session_path(subject.id)}, {"dir", "auto"}}).close();
}

// The name of a relative, for those who may see it.
std::string title_of(session::Store& store, const Transcripts& transcripts, const std::string& principal, const std::string& id) {
  if (auto record = store.get(id)) return record->principal == principal ? session::shown_title(*record) : std::string();
  auto subject = find_subject(store, transcripts, principal, id);
  return subject ? subject->title : std::string();
}

Result<std::optional<transcripts::LineageTree>> tree_of(session::Store& store, const Transcripts& transcripts,
                                                        const Subject& subject) {
  if (subject.kind == session::kTranscript) return transcripts.keeper->lineage(subject.id);
  return transcripts::lineage_tree(&store, subject.id, {});
}

// A session whose files are gone still has its family, for the user it belonged to.
Result<Subject> find_relative(session::Store& store, const Transcripts& transcripts, const PageRequest& request) {
  const std::string& id = request.parts.front();
  auto subject = find_subject(store, transcripts, request.principal, id);
  if (subject || !transcripts.keeper || request.principal != kLocalPrincipal || subject.error().kind != ErrorKind::not_found)
    return subject;
  HF_TRY(std::string whole, transcripts.keeper->remembered(id, subject.error()));
  Subject gone;
  gone.id = std::move(whole);
  gone.title = "a session that is no longer here";
  return gone;
}

}  // namespace

Result<net::HttpResponse> family_page(session::Store& store, const Transcripts& transcripts, const PageRequest& request) {
  HF_TRY(const Subject subject, find_relative(store, transcripts, request));
  HF_TRY(const auto tree, tree_of(store, transcripts, subject));
  return show_page(request, {"Family tree", Section::timeline}, [&](Html& page) {
    write_heading(page, subject, "Family tree of");
    if (!tree || tree->nodes.size() < 2)
      page.element("p", "It has no relatives: nothing was cloned, restored or forked from it, and it from nothing.",
                   {{"class", "soft"}});
    if (tree)
      show_picture(page, family_picture(
                             *tree, [&](const std::string& id) { return title_of(store, transcripts, request.principal, id); }));
  });
}

Result<net::HttpResponse> graph_page(session::Store& store, const Transcripts& transcripts, const PageRequest& request) {
  HF_TRY(const Subject subject, find_subject(store, transcripts, request.principal, request.parts.front()));
  if (subject.kind != session::kReasoning)
    return fail(ErrorKind::invalid, fmt::format("a {} has no thoughts to draw", subject.kind), "open the session itself");
  HF_TRY(const reasoning::Graph graph, reasoning::read_graph(store, *subject.record()));
  const bool unfolded = request.query.get("all") == "1";
  return show_page(request, {"Thought graph", Section::timeline}, [&](Html& page) {
    write_heading(page, subject, "Thought graph of");
    page.open("div", {{"id", "graph"}, {"data-live", subject.id}});
    page.open("p", {{"class", "soft"}});
    page.text(fmt::format("{}, {}. ",
                          counted(static_cast<std::int64_t>(graph.thoughts.size()) + graph.left_out, "thought", "thoughts"),
                          counted(static_cast<std::int64_t>(graph.branches.size()), "branch", "branches")));
    page.element("a", unfolded ? "Fold long stretches" : "Draw every thought",
                 {{"href", unfolded ? request.path : request.path + "?all=1"}});
    page.close();
    show_picture(page, thought_picture(graph, subject.id, unfolded));
    if (graph.left_out > 0)
      page.element("p", fmt::format("{} thoughts in between are left out.", graph.left_out), {{"class", "soft"}});
    page.close();
  });
}

}  // namespace holdfast::web
