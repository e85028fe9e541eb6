#include "cli/program/run.h"

#include "cli/arguments/commands.h"
#include "cli/program/exit_code.h"

#include <algorithm>
#include <csignal>
#include <exception>
#include <string_view>

namespace holdfast::cli {

namespace {

// --watch and its like are ways of keeping; what stands below guard looks at what was kept.
Result<void> check_guard_ways(const CommandLine& line) {
  const GuardArguments& given = line.guard;
  if (line.command == Command::guard || !(given.watch || given.hook || given.install || given.uninstall || given.install_hook))
    return {};
  return fail(ErrorKind::invalid, "--watch, --hook and --install are for holdfast guard alone", "leave out the one or the other");
}

Result<void> run_command(Context& context) {
  HF_CHECK(check_guard_ways(context.line));
  switch (context.line.command) {
    case Command::mcp:
      return run_mcp(context);
    case Command::serve:
      return run_serve(context);
    case Command::sessions_list:
      return list_sessions(context);
    case Command::sessions_show:
      return show_session(context);
    case Command::sessions_resume:
      return resume_session(context);
    case Command::sessions_archive:
      return move_session(context, "archive");
    case Command::sessions_unarchive:
      return move_session(context, "unarchive");
    case Command::sessions_restore:
      return move_session(context, "restore");
    case Command::sessions_pin:
      return move_session(context, "pin");
    case Command::sessions_unpin:
      return move_session(context, "unpin");
    case Command::sessions_delete:
      return delete_sessions(context);
    case Command::sessions_purge:
      return purge_session(context);
    case Command::sessions_redact:
      return redact_session(context);
    case Command::sessions_notices:
      return show_notices(context);
    case Command::sessions_export:
      return export_kept_session(context);
    case Command::cleanup:
      return clean_up(context);
    case Command::research_start:
      return start_research(context);
    case Command::research_resume:
      return resume_research(context);
    case Command::research_status:
      return show_research_status(context);
    case Command::research_report:
      return print_report(context);
    case Command::research_list:
      return list_research(context);
    case Command::research_cancel:
      return cancel_research(context);
    case Command::research_chat:
      return chat(context);
    case Command::research_thinkdeep:
      return think_deep(context);
    case Command::research_ideate:
      return ideate(context);
    case Command::research_consensus:
      return find_consensus(context);
    case Command::research_providers:
      return show_providers(context);
    case Command::research_open:
      return open_research(context);
    case Command::review:
      return review_one_by_one(context);
    case Command::review_list:
      return list_changes(context);
    case Command::review_show:
      return show_changes(context);
    case Command::review_accept:
      return decide_changes(context, true);
    case Command::review_reject:
      return decide_changes(context, false);
    case Command::review_comment:
      return comment_change(context);
    case Command::review_undo:
      return undo_document_move(context);
    case Command::review_trash:
      return list_trash(context);
    case Command::review_restore:
      return restore_document(context);
    case Command::review_export:
      return export_document(context);
    case Command::run_tasks:
      return run_tasks(context);
    case Command::run_list:
      return list_runs(context);
    case Command::run_show:
      return show_task_run(context);
    case Command::run_cancel:
      return cancel_task_run(context);
    case Command::run_login:
      return log_in_to_server(context);
    case Command::run_logout:
      return log_out_of_server(context);
    case Command::store_info:
      return show_store(context);
    case Command::store_verify:
      return verify_store(context);
    case Command::store_copy:
      return copy_store(context);
    case Command::store_backup:
      return back_up_store(context);
    case Command::store_restore:
      return restore_store(context);
    case Command::store_salvage:
      return salvage_store(context);
    case Command::token_add:
      return add_token(context);
    case Command::token_list:
      return list_tokens(context);
    case Command::token_revoke:
      return revoke_token(context);
    case Command::login:
      return print_login(context);
    case Command::completion:
      return print_completion(context);
    case Command::list:
      return list_transcripts(context);
    case Command::info:
      return show_transcript(context);
    case Command::archive:
      return archive_transcript(context);
    case Command::restore:
      return restore_transcript(context);
    case Command::exported:
      return export_any_session(context);
    case Command::clone:
      return clone_transcript(context);
    case Command::move:
      return move_transcript(context);
    case Command::erase:
      return delete_transcript(context);
    case Command::lineage:
      return show_lineage(context);
    case Command::verify:
      return verify_transcript(context);
    case Command::relocate:
      return relocate_transcripts(context);
    case Command::doctor:
      return examine_transcripts(context);
    case Command::schema:
      return print_schema(context);
    case Command::import_lineage:
      return import_lineage(context);
    case Command::import_thoughtbox:
      return import_thoughtbox(context);
    case Command::search:
      return search_everything(context);
    case Command::trace:
      return trace_file(context);
    case Command::index:
      return update_index(context);
    case Command::brief:
      return print_brief(context);
    case Command::guard:
      return guard_transcripts(context);
    case Command::guard_list:
      return list_guarded(context);
    case Command::guard_show:
      return show_guarded(context);
    case Command::guard_cat:
      return print_guarded(context);
    case Command::guard_status:
      return show_guard_status(context);
    case Command::guard_verify:
      return check_guard(context, false);
    case Command::guard_repair:
      return check_guard(context, true);
    case Command::guard_forget:
      return forget_guarded(context);
  }
  return fail(ErrorKind::internal, "a command without a function");
}

Result<void> run_line(int count, const char* const* words) {
  HF_TRY(auto read, read_command_line(count, words));
  if (auto* printed = std::get_if<Printed>(&read)) {
    print(printed->text);
    return {};
  }
  HF_TRY(Context context, Context::make(std::move(std::get<CommandLine>(read)), process_environment()));
  return run_command(context);
}

}  // namespace

int run(int count, const char* const* words) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow (ulimit -f) is an error of the write, not the end of the program
  // Known before the line is read, so that a mistake in it is told in the right form too.
  const std::string_view prefix = error_prefix(count > 0 ? program_called(words[0]) : Program::holdfast);
  const bool json = std::any_of(words, words + count, [](std::string_view word) { return word == "--json"; });
  try {
    auto done = run_line(count, words);
    if (done) done = what_was_lost();
    if (done) return 0;
    print_error(done.error(), json, prefix);
    return exit_code(done.error());
  } catch (const std::exception& problem) {  // out of memory, or a defect: said in words, not by abort()
    print_error(make_error(ErrorKind::internal, problem.what()), json, prefix);
    return exit_code(ErrorKind::internal);
  }
}

}  // namespace holdfast::cli
