#pragma once

// One function a command; each is in the file of its name. They print their result to stdout and return
// errors for run.cpp to print.

#include "cli/program/context.h"

namespace holdfast::cli {

Result<void> run_mcp(Context& context);
Result<void> run_serve(Context& context);
Result<void> list_sessions(Context& context);
Result<void> show_session(Context& context);
Result<void> resume_session(Context& context);
Result<void> move_session(Context& context, std::string_view move);  // archive, unarchive, restore, pin, unpin
Result<void> export_kept_session(Context& context);
Result<void> delete_sessions(Context& context);
Result<void> purge_session(Context& context);
Result<void> redact_session(Context& context);
Result<void> show_notices(Context& context);
Result<void> clean_up(Context& context);

// Threads and research.
Result<void> start_research(Context& context);
Result<void> resume_research(Context& context);
Result<void> show_research_status(Context& context);
Result<void> print_report(Context& context);
Result<void> list_research(Context& context);
Result<void> cancel_research(Context& context);
Result<void> show_providers(Context& context);
Result<void> chat(Context& context);
Result<void> think_deep(Context& context);
Result<void> ideate(Context& context);
Result<void> find_consensus(Context& context);
Result<void> open_research(Context& context);  // holdfast research ID [words]

// Documents under review.
Result<void> review_one_by_one(Context& context);  // without a terminal: the list
Result<void> list_changes(Context& context);
Result<void> show_changes(Context& context);
Result<void> decide_changes(Context& context, bool accept);
Result<void> comment_change(Context& context);
Result<void> undo_document_move(Context& context);
Result<void> list_trash(Context& context);
Result<void> restore_document(Context& context);
Result<void> export_document(Context& context);

// Tasks for a model.
Result<void> run_tasks(Context& context);
Result<void> list_runs(Context& context);
Result<void> show_task_run(Context& context);
Result<void> cancel_task_run(Context& context);
Result<void> log_in_to_server(Context& context);
Result<void> log_out_of_server(Context& context);

// Search.
Result<void> search_everything(Context& context);
Result<void> trace_file(Context& context);
Result<void> update_index(Context& context);

Result<void> show_store(Context& context);
Result<void> verify_store(Context& context);
Result<void> copy_store(Context& context);
Result<void> back_up_store(Context& context);
Result<void> restore_store(Context& context);
Result<void> salvage_store(Context& context);
Result<void> add_token(Context& context);
Result<void> list_tokens(Context& context);
Result<void> revoke_token(Context& context);
Result<void> print_login(Context& context);
Result<void> print_completion(Context& context);

// Over transcripts.
Result<void> list_transcripts(Context& context);
Result<void> show_transcript(Context& context);
Result<void> archive_transcript(Context& context);
Result<void> restore_transcript(Context& context);
Result<void> export_any_session(Context& context);
Result<void> clone_transcript(Context& context);
Result<void> move_transcript(Context& context);
Result<void> delete_transcript(Context& context);
Result<void> show_lineage(Context& context);
Result<void> verify_transcript(Context& context);
Result<void> relocate_transcripts(Context& context);
Result<void> examine_transcripts(Context& context);
Result<void> print_schema(Context& context);
Result<void> guard_transcripts(Context& context);  // once, --watch, --hook, --install
Result<void> list_guarded(Context& context);
Result<void> show_guarded(Context& context);
Result<void> print_guarded(Context& context);
Result<void> show_guard_status(Context& context);
Result<void> check_guard(Context& context, bool repair);
Result<void> forget_guarded(Context& context);
Result<void> import_lineage(Context& context);
Result<void> import_thoughtbox(Context& context);
Result<void> print_brief(Context& context);

}  // namespace holdfast::cli
