"""Decides whether a run of the conformance suite was really green, from the checks.json files it wrote.

The suite's own exit status is not enough: it does not score pending scenarios and extensions, and a scenario
whose server answered in an unexpected way can pass without a single successful check.
"""
import json
import pathlib
import re

# The suite itself always skips this one.
ALWAYS_SKIPPED = {"tasks-status-notifications"}
# Scenarios that stop early on a wrong answer without a failure, with the number of checks a full one makes.
LEAST_SUCCESSES = {"server-stateless": 30, "http-header-validation": 13, "caching": 7}
# Counts for nothing on its own: it says that the messages were well formed, not that anything was tried.
SCHEMA_CHECK = "wire-schema-valid"

# Checks of a modern client for messages that the modern era does not have: the suite skips them.
NOT_IN_THE_ERA = {("http-standard-headers", "ClientMcpMethodHeader_initialize"),
                  ("http-standard-headers", "ClientMcpMethodHeader_notifications_initialized")}

FOLDER = re.compile(r"^(?:server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$")


def read_checks(folder):
    """scenario name -> list of checks, from <folder>/[server-]<scenario>-<time>/checks.json."""
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*/checks.json")):
        match = FOLDER.match(path.parent.name)
        found[match[1] if match else path.parent.name] = json.loads(path.read_text())
    return found


def judge_scenario(name, checks):
    """(number of successful checks, list of complaints)"""
    complaints = []
    successes = 0
    for check in checks:
        status = check.get("status")
        if status == "SUCCESS":
            successes += check.get("id") != SCHEMA_CHECK
        elif status == "INFO":
            pass
        elif status == "SKIPPED" and (name in ALWAYS_SKIPPED or (name, check.get("name")) in NOT_IN_THE_ERA):
            pass
        else:
            complaints.append(f"{status} {check.get('id')}: {check.get('errorMessage') or check.get('description')}")
    least = 0 if name in ALWAYS_SKIPPED else LEAST_SUCCESSES.get(name, 1)
    if successes < least and not complaints:
        complaints.append(f"empty pass: {successes} successful checks, at least {least} expected")
    return successes, complaints


def judge_run(wanted, folder):
    """Rows (scenario, successes, complaints) for one entry of scenarios.json, in its order."""
    found = read_checks(folder)
    names = wanted["required"] + wanted["unscored"]
    rows = [(name, *judge_scenario(name, found[name])) if name in found else (name, 0, ["did not run"]) for name in names]
    rows += [(name, 0, ["is not in scenarios.json"]) for name in found if name not in names]
    total = sum(len([c for c in checks if c.get("status") == "SUCCESS"]) for checks in found.values())
    if total < wanted["least_checks"] and not any(complaints for _, _, complaints in rows):
        rows.append(("(whole run)", total, [f"{total} successful checks, at least {wanted['least_checks']} expected"]))
    return rows
