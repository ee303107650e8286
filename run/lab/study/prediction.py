"""The model's prediction beside each point, by the program `predict`, where there is a machine file."""
import json
import subprocess

from lab.command import FILES, ROOT, USAGE, Problem, in_checkout
from lab.records import read_record, write_record
from lab.study import form

FILE = "predictions.json"
LIMIT_S = 60


def last_line(answer):
    return (answer.stderr.strip().splitlines() or [f"exit code {answer.returncode}"])[-1]


def predict_point(program, machine, config, point):
    """What `predict` says of this layout: time a sweep and Tcomm fraction; a line where it cannot. A Problem
    where the machine file itself is wrong."""
    words = [program.resolve(), machine, config, *("=".join(pair) for pair in point["overrides"]),
             "--ranks", str(point["ranks"]), "--threads", str(point["threads"]), "--record", "-"]
    answer = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=LIMIT_S,
                            cwd=ROOT)
    if answer.returncode in (USAGE, FILES) and f" {machine}:" in answer.stderr:
        raise Problem(answer.returncode, last_line(answer))
    if answer.returncode != 0:
        return {"note": last_line(answer)}
    for layout in json.loads(answer.stdout)["measured"]["layouts"]:
        if (layout["ranks"], layout["threads"]) == (point["ranks"], point["threads"]):
            return {"sweep_s": layout["sweep_s"], "tcomm_fraction": layout["tcomm_fraction"]}
    return {"note": "predict left this layout out"}


def predict_all(folder, plan, program, machine):
    """Predictions of all points, kept in the folder so that a later report needs neither program nor
    machine file. machine: as seen from the checkout."""
    if not program.is_file():
        raise Problem(FILES, f"{program} is missing: build it with run/build, or leave the machine file out")
    if not (ROOT / machine).is_file():
        raise Problem(FILES, f"{machine}: no such machine file; name another with --machine")
    found = {point["name"]: predict_point(program, machine, plan["config_file"], point)
             for point in plan["points"]}
    write_record(folder / FILE, {"machine_file": in_checkout(ROOT / machine), "points": found})


def add_predictions(folder, summary):
    """Puts what is kept in the folder beside the measurements."""
    if not (folder / FILE).is_file():
        return
    record = read_record(folder / FILE)
    kept = record.get("points")
    if not isinstance(kept, dict) or not all(any(form.fits_whole(found, one) for one in form.PREDICTIONS)
                                             for found in kept.values()):
        raise Problem(FILES, f"{folder / FILE}: holds no predictions; remove it, or make them anew with "
                             "--machine")
    summary["machine_file"] = record.get("machine_file")
    notes = dict.fromkeys(found["note"] for found in kept.values() if "note" in found)
    for point in summary["points"]:
        found = kept.get(point["name"], {})
        if found.get("sweep_s") and point.get("sweep_s"):
            error = found["sweep_s"] / point["sweep_s"]["median"] - 1
            point["predicted"] = {**found, "sweep_error": error}
    if notes:
        summary["prediction_note"] = f"No prediction: {'; '.join(notes)}"
