"""A small reader of C source for the rule test: comments and strings blanked, functions found."""
import re
from typing import NamedTuple

COMMENT_OR_STRING = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
OMP_OPERATOR = re.compile(r'_Pragma\s*\(\s*"\s*omp\b[^)]*\)')
PREPROCESSOR_LINE = re.compile(r'^[ \t]*#(?:\\\n|[^\n])*', re.MULTILINE)
NAME_BEFORE_PARENTHESIS = re.compile(r'(\w+)\s*\(')


class Function(NamedTuple):
    name: str
    line: int
    lines: int
    text: str


def blank(match):
    """Spaces in place of the text, so that lines and columns stay."""
    return re.sub(r'[^\n]', ' ', match.group())


def strip(text):
    """Source without comments and strings; _Pragma("omp ...") becomes the pragma it stands for."""
    text = OMP_OPERATOR.sub('#pragma omp', text)
    return COMMENT_OR_STRING.sub(lambda match: '""' + blank(match)[2:]
                                 if match.group()[0] == '"' else blank(match), text)


def includes(text):
    """(line, quoted, name) of every include; comments are blanked, names are not."""
    text = re.sub(r'/\*.*?\*/', blank, text, flags=re.DOTALL)
    return [(line_of(text, match.start()), match.group(1) == '"', match.group(2))
            for match in INCLUDE.finditer(text)]


def line_of(text, position):
    return text.count('\n', 0, position) + 1


def without_groups(text):
    """The text with everything inside parentheses taken out: "f(int (*g)(int))" -> "f()"."""
    depth, kept = 0, []
    for character in text:
        depth -= character == ')'
        if depth == 0:
            kept.append(character)
        depth += character == '('
    return ''.join(kept)


def function_name(head):
    names = NAME_BEFORE_PARENTHESIS.findall(without_groups(head))
    names = [name for name in names if name not in ('__attribute__', '_Alignas', '__declspec')]
    return names[0] if names else '?'


def functions(stripped):
    """Every function definition of stripped source, in order."""
    text = PREPROCESSOR_LINE.sub(blank, stripped)
    depth = head = start = 0
    for position, character in enumerate(text):
        if character == '{':
            if depth == 0:
                start = position
            depth += 1
        elif character == '}':
            depth -= 1
        if depth == 0 and character in ';}':
            declaration = text[head:start] if character == '}' else ''
            if declaration.rstrip().endswith(')'):
                first = head + len(declaration) - len(declaration.lstrip())
                yield Function(function_name(declaration), line_of(text, first),
                               text.count('\n', first, position) + 1, stripped[first:position + 1])
            head = position + 1
