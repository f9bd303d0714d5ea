"""What can be typed, as the completion script of a shell. Pure text; nothing is run."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence
from dataclasses import dataclass

SHELLS = ("bash", "zsh", "fish")
FILES = "files"


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a verb. `values`: what follows it, `files` for a path, empty for anything."""

    names: tuple[str, ...]
    takes_value: bool
    values: tuple[str, ...]
    help: str


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb and what can follow it. `values` is for its arguments, as for an option."""

    name: str
    summary: str
    options: tuple[Option, ...]
    values: tuple[str, ...]


def script(shell: str, verbs: Sequence[Verb]) -> str:
    """Write the script of one of `SHELLS`."""
    write = {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell]
    return "\n".join(write(verbs)) + "\n"


def _bash(verbs: Sequence[Verb]) -> Iterator[str]:
    names = " ".join(verb.name for verb in verbs)
    yield "# bash completion for gpupolicy"
    yield "_gpupolicy() {"
    yield '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}"'
    yield "  local words=''"
    yield "  COMPREPLY=()"
    yield "  if ((COMP_CWORD == 1)); then"
    yield f"    words='{names} --help --version'"
    yield "  else"
    yield '    case "${COMP_WORDS[1]} $before" in'
    for verb in verbs:
        for option in verb.options:
            if option.takes_value:
                patterns = " | ".join(f"'{verb.name} {name}'" for name in option.names)
                yield f"      {patterns}) {_bash_values(option.values)} ;;"
    yield "      *)"
    yield '        case "${COMP_WORDS[1]} $word" in'
    for verb in verbs:
        flags = " ".join(name for option in verb.options for name in option.names)
        yield f"          '{verb.name} -'*) words='{flags}' ;;"
        yield f"          '{verb.name} '*) {_bash_values(verb.values)} ;;"
    yield "        esac ;;"
    yield "    esac"
    yield "  fi"
    yield "  if [[ $words == files ]]; then"
    yield "    compopt -o filenames"
    yield "    words=''"
    yield '    mapfile -t COMPREPLY < <(compgen -f -- "$word")'
    yield "  elif [[ -n $words ]]; then"
    yield '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")'
    yield "  fi"
    yield "}"
    yield "complete -F _gpupolicy gpupolicy"


def _bash_values(values: tuple[str, ...]) -> str:
    return f"words='{' '.join(values)}'"


def _zsh(verbs: Sequence[Verb]) -> Iterator[str]:
    yield "#compdef gpupolicy"
    yield "# zsh completion for gpupolicy"
    yield "_gpupolicy() {"
    yield "  local -a verbs"
    yield "  verbs=("
    for verb in verbs:
        yield f"    {_quoted(f'{verb.name}:{verb.summary}')}"
    yield "  )"
    yield "  if ((CURRENT == 2)); then"
    yield "    _describe verb verbs"
    yield "    return"
    yield "  fi"
    yield '  local verb="${words[2]}"'
    yield "  shift words"
    yield "  ((CURRENT--))"
    yield '  case "$verb" in'
    for verb in verbs:
        yield f"    {verb.name})"
        yield "      _arguments \\"
        for option in verb.options:
            for name in option.names:
                yield f"        {_quoted(_zsh_option(name, option))} \\"
        yield f"        {_quoted('*:argument:' + _zsh_values(verb.values))} ;;"
    yield "  esac"
    yield "}"
    yield 'if [[ "${funcstack[1]}" == _gpupolicy ]]; then _gpupolicy "$@"; '
    yield "else compdef _gpupolicy gpupolicy; fi"


def _zsh_option(name: str, option: Option) -> str:
    text = option.help.replace("[", "(").replace("]", ")").replace(":", " ")
    value = f":value:{_zsh_values(option.values)}" if option.takes_value else ""
    return f"*{name}[{text}]{value}"


def _zsh_values(values: tuple[str, ...]) -> str:
    if values == (FILES,):
        return "_files"
    return f"({' '.join(values)})" if values else " "


def _fish(verbs: Sequence[Verb]) -> Iterator[str]:
    yield "# fish completion for gpupolicy"
    yield "complete -c gpupolicy -f"
    for verb in verbs:
        start = "complete -c gpupolicy -n __fish_use_subcommand"
        yield f"{start} -a {verb.name} -d {_fish_quoted(verb.summary)}"
    for verb in verbs:
        seen = f"complete -c gpupolicy -n '__fish_seen_subcommand_from {verb.name}'"
        if verb.values == (FILES,):
            yield f"{seen} -F"
        elif verb.values:
            yield f"{seen} -a {_fish_quoted(' '.join(verb.values))}"
        for option in verb.options:
            yield f"{seen} {_fish_option(option)}"


def _fish_option(option: Option) -> str:
    parts = [f"-s {n[1:]}" if len(n) == 2 else f"-l {n[2:]}" for n in option.names]
    if option.takes_value and option.values == (FILES,):
        parts.append("-r -F")
    elif option.takes_value:
        parts.append(f"-x -a {_fish_quoted(' '.join(option.values))}")
    return " ".join([*parts, f"-d {_fish_quoted(option.help)}"])


def _quoted(text: str) -> str:
    """Quote for bash and zsh."""
    return "'" + text.replace("'", "'\\''") + "'"


def _fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
