"""Colours of figures and page: each stands out from white paper and from a dark screen alike."""
INK = "#1b1d21"    # text and ideal lines; the page puts its own colour there
FAINT = "#84878e"  # axes and grid; likewise
COLOURS = ("#2f7ed8", "#d2691e", "#2f9650", "#9a5fd0", "#d04a4a", "#168f98", "#8c7a1c", "#c2508f")
PHASE_COLOURS = {"sweep": COLOURS[0], "other": "#8a8f98", "pack": "#8c7a1c", "transfer": "#d2691e",
                 "wait": "#9a5fd0", "reduce": "#d04a4a"}
PAGE = {"light": {"paper": "#ffffff", "ink": "#1b1d21", "quiet": "#5b6069", "faint": "#84878e",
                  "line": "#d5d8dd", "panel": "#f4f5f7", "accent": "#1f5fae", "alarm": "#8a3b00",
                  "alarm-panel": "#fff3e6"},
        "dark": {"paper": "#14161a", "ink": "#e8eaed", "quiet": "#a9afb8", "faint": "#84878e",
                 "line": "#363b43", "panel": "#1d2026", "accent": "#7db4f5", "alarm": "#ffb877",
                 "alarm-panel": "#33261a"}}
