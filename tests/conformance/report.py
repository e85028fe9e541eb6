"""Prints judged scenarios: rows (scenario, successful checks, complaints)."""


def print_rows(title, rows, seconds):
    print(f"\n{title}: {sum(not c for _, _, c in rows)} of {len(rows)} scenarios green, "
          f"{sum(n for _, n, _ in rows)} checks, {seconds:.1f} s")
    for name, successes, complaints in rows:
        print(f"  {'FAILED' if complaints else 'ok    '} {name:<50} {successes:>3}")
        for complaint in complaints:
            print(f"           {complaint[:300]}")
