"""A drawn SVG made fit to stand inside the page: no prologue, names of its own, the page's colours."""
import html
import re

from lab.study.palette import FAINT, INK

ID = re.compile(r'\bid="([^"]+)"')
REFERENCE = re.compile(r'(url\(#|href="#)([^")]+)')
FONT = re.compile(r"font: ([\d.]+px) [^;\"]*")


def own_names(text, name):
    """Several drawings on one page must not share identifiers."""
    text = ID.sub(lambda match: f'id="{name}-{match[1]}"', text)
    return REFERENCE.sub(lambda match: f"{match[1]}{name}-{match[2]}", text)


def page_colours(text):
    return text.replace(INK, "var(--ink)").replace(FAINT, "var(--faint)")


def inline(text, name, alt):
    """The svg element; alt: what it shows, for who cannot see it."""
    start = text.index("<svg")
    body = re.sub(r"\s*<metadata>.*?</metadata>", "", text[start:], flags=re.DOTALL)
    box = re.search(r'viewBox="([^"]+)"', body)[1]
    body = page_colours(own_names(body[body.index(">") + 1:], name))
    body = FONT.sub(r"font: \1 system-ui, 'Liberation Sans', sans-serif", body)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" id="{name}" '
            f'viewBox="{box}" role="img" aria-label="{html.escape(alt, quote=True)}">{body.strip()}')
