"""A copy of a session made by plain text replacement: what was found to be enough by hand (and nothing else is).

It shares no code with the program under test, so it tells whether the comparison is right: a crude copy passes, and
one with something missing does not.
"""
import shutil

from client import Session, folder_name


def copy(session, project, id, home=None):
    """The copy; `home` when it is to lie elsewhere. Plans keep their name."""
    new = Session(home or session.home, project, id)

    def rewrite(source, target):
        text = source.read_bytes()
        old_folder, new_folder = folder_name(session.project), folder_name(new.project)
        text = text.replace(f"/projects/{old_folder}/{session.id}".encode(), f"/projects/{new_folder}/{id}".encode())
        text = text.replace(session.id.encode(), id.encode())
        text = text.replace(f'"cwd":"{session.project}"'.encode(), f'"cwd":"{new.project}"'.encode())
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text)

    rewrite(session.transcript, new.transcript)
    for path in sorted(session.folder.rglob("*")):
        if path.is_file():
            rewrite(path, new.folder / path.relative_to(session.folder))
    if session.tasks.exists():
        shutil.copytree(session.tasks, new.tasks)
    return Session(new.home, project, id)
