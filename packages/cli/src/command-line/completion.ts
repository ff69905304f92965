import { allCommands, type Command, type CommandTable, defineCommand } from "./command.ts";
import { CliError } from "./exit-codes.ts";

const shells = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** The command that prints completion scripts for this table. */
export const completionOf = (table: CommandTable): Command =>
  defineCommand({
    usage: ["completion bash|zsh|fish"],
    words: Object.keys(shells),
    details: [
      "In bash: `source <(svc completion bash)` in ~/.bashrc. In zsh: `source <(svc completion zsh)` in ~/.zshrc, after compinit.",
      "In fish: `svc completion fish > ~/.config/fish/completions/svc.fish`.",
      "Completes svc, which must be on the PATH, but not npx svc.",
    ],
    positionals: 1,
    async run({ positionals: [shell = ""] }, terminal) {
      if (!Object.hasOwn(shells, shell)) throw new CliError("usage", "missing shell: bash, zsh or fish");
      terminal.out(shells[shell as keyof typeof shells](await readPlaces(table)));
    },
  });

interface Candidate {
  readonly word: string;
  readonly help: string;
}

/** Candidates after the words of a command, or of a part of it. */
interface Place {
  /** Empty at the start of the command line. */
  readonly path: string;
  readonly candidates: readonly Candidate[];
  /** Options with a value. */
  readonly valued: readonly string[];
}

async function readPlaces(table: CommandTable): Promise<Place[]> {
  const named = ({ name, summary }: { name: string; summary: string }) => ({ word: name, help: summary });
  const groups = table.flatMap((line) =>
    "commands" in line ? [{ path: line.name, candidates: line.commands.map(named), valued: [] }] : [],
  );
  const own = await Promise.all(
    allCommands(table).map(async ({ words, entry }) => placeOf(words.join(" "), await entry.load())),
  );
  const help = { word: "help", help: "show the options of a command" };
  return [{ path: "", candidates: [...table.map(named), help], valued: [] }, ...groups, ...own];
}

function placeOf(path: string, { options = {}, words = [] }: Command): Place {
  const entries = Object.entries(options);
  return {
    path,
    candidates: [
      ...words.map((word) => ({ word, help: "" })),
      ...entries.map(([name, { help }]) => ({ word: `--${name}`, help })),
      { word: "--help", help: "show the options" },
    ],
    valued: entries.filter(([, { type }]) => type === "string").map(([name]) => `--${name}`),
  };
}

/**
 * Shell lines that join the words before the cursor to the longest known path, for bash and zsh. In zsh a variable `path` would be the search
 * path of commands.
 */
const walk = (places: readonly Place[], before: string) => `  local known place="" word
  known=${quoted(`|${places.map(({ path }) => path).join("|")}|`)}
  for word in ${before}; do
    case "$known" in
      *"|\${place:+$place }$word|"*) place="\${place:+$place }$word" ;;
    esac
  done`;

const afterValue = (places: readonly Place[]) =>
  places
    .filter(({ valued }) => valued.length > 0)
    .map(({ path, valued }) => valued.map((option) => quoted(`${path} ${option}`)).join("|"))
    .join("|");

function bashScript(places: readonly Place[]): string {
  const cases = places.map(
    ({ path, candidates }) => `    ${quoted(path)}) words=${quoted(candidates.map(({ word }) => word).join(" "))} ;;`,
  );
  return `# Completion of svc for bash. Printed by: svc completion bash
_svc() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
${walk(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}
  case "$place $previous" in
    ${afterValue(places)}) return ;;
  esac
  case "$place" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _svc svc`;
}

function zshScript(places: readonly Place[]): string {
  const described = ({ word, help }: Candidate) => quoted(help === "" ? word : `${word}:${help}`);
  const cases = places.map(
    ({ path, candidates }) => `    ${quoted(path)}) candidates=(${candidates.map(described).join(" ")}) ;;`,
  );
  return `#compdef svc
# Completion of svc for zsh. Printed by: svc completion zsh
_svc() {
  local -a candidates
${walk(places, `"\${(@)words[2,CURRENT-1]}"`)}
  case "$place \${words[CURRENT-1]}" in
    ${afterValue(places)}) _files; return ;;
  esac
  case "$place" in
${cases.join("\n")}
  esac
  _describe 'svc' candidates
}
compdef _svc svc`;
}

function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ path, candidates, valued }) =>
    candidates.map(({ word, help }) => {
      const what = word.startsWith("--")
        ? `-l ${word.slice(2)}${valued.includes(word) ? " -rF" : ""}`
        : `-a ${quoted(word)}`;
      return `complete -c svc -f -n ${quoted(`__svc_at "${path}"`)} ${what}${help === "" ? "" : ` -d ${quoted(help)}`}`;
    }),
  );
  return `# Completion of svc for fish. Printed by: svc completion fish
function __svc_at
  set -l path
  for word in (commandline -opc)[2..-1]
    if contains -- (string join ' ' $path $word) ${places
      .filter(({ path }) => path !== "")
      .map(({ path }) => quoted(path))
      .join(" ")}
      set path $path $word
    end
  end
  test "$path" = "$argv[1]"
end
${lines.join("\n")}`;
}

/** A text quoted as one shell word. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
