"""Every command, its options and an example: plain data, for parsing, for help and for completion."""

# An option is (name, kind, metavar, help). Kinds: flag, text, list (may be repeated), whole, number, date.
Option = tuple[str, str, str, str]

COMMON: tuple[Option, ...] = (
    ("--root", "text", "DIR", "the project's root, instead of looking upward from here"),
    ("--json", "flag", "", "one JSON object on standard output, errors too"),
    ("--help", "flag", "", "this text"),
)

SEARCH_OPTIONS: tuple[Option, ...] = (
    ("--top", "whole", "N", "at most N hits (setting: [search] default_top_k)"),
    ("--type", "list", "T", "only documents of this type (changelog, issues, rules, adr, ...); may be repeated"),
    ("--after", "date", "DATE", "dated on this day or later (2026-03-28)"),
    ("--before", "date", "DATE", "dated on this day or earlier"),
    ("--tag", "list", "T", "only chunks with this tag; may be repeated"),
    ("--role", "text", "R", "who asks: boosts what matters to the role, hides what is private to others"),
    ("--status", "list", "S", "only chunks with this status (open, closed, accepted, done, ...); may be repeated"),
    ("--path", "list", "GLOB", "only files that this git-style pattern matches; may be repeated"),
    ("--min-score", "number", "X", "hide what holds less of the question than X and is no nearer (0 to 1; 0: all)"),
    ("--explain", "flag", "", "show where each score comes from"),
    ("--fresh", "flag", "", "wait until everything saved before now is searchable"),
    ("--full", "flag", "", "show whole chunks, not only the passage that matched"),
    ("--at", "text", "REV", "not yet: search as of a commit"),
    ("--unified", "flag", "", "not yet: search code and documents together"),
)


class Command:
    """One command: where its body is, what it takes, and how it is told."""

    __slots__ = ("example", "most", "name", "needs", "options", "places", "summary")

    def __init__(
        self,
        name: str,
        summary: str,
        example: str,
        options: tuple[Option, ...] = (),
        *,
        places: str = "",
        needs: int = 0,
        most: int = 0,
    ) -> None:
        self.name = name
        self.summary = summary
        self.example = example
        self.options = options
        self.places = places
        self.needs = needs
        self.most = most


MANY = 10_000

COMMANDS: dict[str, Command] = {
    command.name: command
    for command in (
        Command(
            "search",
            "find text in the project's documents, verbatim, with file:line",
            'consigliere search "보안 관련 결정" --role ios_developer --top 5',
            SEARCH_OPTIONS,
            places="QUERY",
            needs=1,
            most=MANY,
        ),
        Command(
            "show",
            "print lines of an indexed document as they stand now",
            "consigliere show docs/rules.md:12-18",
            (("--section", "flag", "", "widen to the whole section that holds the line"),),
            places="FILE[:LINE[-LINE]]",
            needs=1,
            most=1,
        ),
        Command(
            "index",
            "look at the whole project, or at PATHs, and index what changed",
            "consigliere index docs/CHANGELOG.md",
            (
                ("--watch", "flag", "", "go on and print what the daemon indexes until Ctrl-C"),
                ("--wait", "flag", "", "wait until every index is at the head"),
                ("--rebuild", "flag", "", "throw the derived data away and read every file anew"),
            ),
            places="[PATH...]",
            most=MANY,
        ),
        Command("status", "what is indexed, how fresh, what was left out and why", "consigliere status --json"),
        Command("doctor", "find what is wrong, and name the cure", "consigliere doctor"),
        Command(
            "eval",
            "measure the search by labelled questions: one JSON object a line",
            "consigliere eval questions.jsonl",
            (("--from-git", "flag", "", "print a first set of questions, from the history of the repository"),),
            places="[FILE]",
            most=1,
        ),
        Command(
            "tune",
            "choose alpha and beta by labelled questions, and adopt them if they earn it",
            "consigliere tune questions.jsonl",
            (("--reset", "flag", "", "what the settings say is in force again"),),
            places="[FILE]",
            most=1,
        ),
        Command(
            "init",
            "write a commented .consigliere.toml here",
            "consigliere init --bin",
            (
                ("--bin", "flag", "", "also put the one-file client at bin/consigliere"),
                ("--template", "text", "NAME", "settings for a kind of project: agents"),
            ),
        ),
        Command("config", "the settings in force, and where each comes from", "consigliere config"),
        Command("start", "start the daemon if it does not run", "consigliere start"),
        Command("stop", "stop the daemon", "consigliere stop"),
        Command("restart", "stop the daemon and start it again", "consigliere restart"),
        Command(
            "logs",
            "print the end of the daemon's log",
            "consigliere logs -n 50",
            (
                ("-n", "whole", "N", "the last N lines (20)"),
                ("-f", "flag", "", "go on and print new lines until Ctrl-C"),
            ),
        ),
        Command("workspaces", "the projects that the daemon knows", "consigliere workspaces"),
        Command(
            "forget",
            "close a project and remove its derived data",
            "consigliere forget ~/old-project",
            places="[ROOT]",
            most=1,
        ),
        Command(
            "completion",
            "print the completion script of a shell",
            "consigliere completion zsh > ~/.zfunc/_consigliere",
            places="bash|zsh|fish",
            needs=1,
            most=1,
        ),
    )
}
