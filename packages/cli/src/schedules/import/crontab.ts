import {
  type Conversion,
  type ConversionInProgress,
  requireSize,
  type ScheduleDraft,
  startConversion,
  UnsupportedEntry,
} from "./conversion.ts";

export interface CrontabOptions {
  readonly engine: string;
  readonly queue?: string | undefined;
  /** The task of every schedule. Null names each task after the program of its command. */
  readonly task: string | null;
  /** Until the crontab sets CRON_TZ or TZ. Undefined is UTC, with a note. */
  readonly timezone?: string | undefined;
  /** Whether the column after the time names a user, as in /etc/crontab. */
  readonly hasUsers: boolean;
}

const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "@yearly"],
  ["@annually", "@yearly"],
  ["@monthly", "@monthly"],
  ["@weekly", "@weekly"],
  ["@daily", "@daily"],
  ["@midnight", "@daily"],
  ["@hourly", "@hourly"],
]);

const maxNameLength = 180;
const maxLineLength = 100_000;

/** Reads a crontab. Each line becomes a schedule whose keyword argument `command` is the command of the line. */
export function readCrontab(text: string, options: CrontabOptions, now: number): Conversion {
  requireSize(text);
  const conversion = startConversion(now);
  const names = createNames();
  let cronZone: string | undefined;
  let zone: string | undefined;
  let isFirst = true;
  for (const [index, raw] of text.split("\n").entries()) {
    const at = `line ${index + 1}`;
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const variable = readVariable(line);
    if (variable !== null) {
      if (variable.name === "CRON_TZ") cronZone = variable.value;
      else if (variable.name === "TZ") zone = variable.value;
      else conversion.note(at, `${variable.name} is ignored: set it where the task runs`);
      continue;
    }
    const timezone = cronZone ?? zone ?? options.timezone;
    if (timezone === undefined && isFirst)
      conversion.note(at, "no CRON_TZ: times are read as UTC. Set another zone with --timezone");
    isFirst = false;
    conversion.entry(at, () => {
      if (line.length > maxLineLength) throw new UnsupportedEntry("it has more than 100,000 characters");
      const { expression, command, user } = readLine(line, options.hasUsers);
      noteMissingColumn(conversion, at, command, options);
      const { program, stdin } = splitInput(command);
      return {
        name: names(program),
        engine: options.engine,
        kind: "cron",
        expression,
        timezone: timezone ?? "UTC",
        task_name: options.task ?? programName(program),
        ...(options.queue !== undefined && { queue: options.queue }),
        args: [],
        kwargs: { command: program, ...(stdin !== undefined && { stdin }), ...(user !== undefined && { user }) },
      } satisfies ScheduleDraft;
    });
  }
  return conversion.done();
}

/** `NAME = value`, with quotes around either. Null for another line. */
function readVariable(line: string): { name: string; value: string } | null {
  const equals = line.indexOf("=");
  if (equals === -1) return null;
  const name = unquoted(line.slice(0, equals).trim());
  return /^[A-Za-z_]\w*$/.test(name) ? { name, value: unquoted(line.slice(equals + 1).trim()) } : null;
}

function unquoted(text: string): string {
  const quote = text.charAt(0);
  const isQuoted = text.length >= 2 && (quote === '"' || quote === "'") && text.endsWith(quote);
  return isQuoted ? text.slice(1, -1) : text;
}

function readLine(line: string, hasUsers: boolean) {
  const time = line.startsWith("@") ? takeWords(line, 1) : takeWords(line, 5);
  const expression = line.startsWith("@") ? readMacro(time.words[0] ?? "") : time.words.join(" ");
  const user = hasUsers ? takeWords(time.rest, 1) : undefined;
  const command = user === undefined ? time.rest : user.rest;
  if (command === "") throw new UnsupportedEntry(hasUsers ? "it has no user or no command" : "it has no command");
  return { expression, command, user: user?.words[0] };
}

function readMacro(word: string): string {
  const name = word.toLowerCase();
  if (name === "@reboot")
    throw new UnsupportedEntry("@reboot is not a time: start the program with the machine instead");
  const macro = macros.get(name);
  if (macro === undefined)
    throw new UnsupportedEntry(`${word.slice(0, 40)} is not one of ${[...macros.keys()].join(", ")}`);
  return macro;
}

const isSpace = (character: string | undefined): boolean => character === " " || character === "\t";

/** The first words of a line, and the text after them. */
function takeWords(line: string, count: number): { words: string[]; rest: string } {
  const words: string[] = [];
  let position = 0;
  while (words.length < count && position < line.length) {
    const start = position;
    while (position < line.length && !isSpace(line[position])) position += 1;
    words.push(line.slice(start, position));
    while (isSpace(line[position])) position += 1;
  }
  return { words, rest: line.slice(position) };
}

/** Cron ends the command at the first `%`, and passes the rest as input, with a line break for each further `%`. `\%` is a percent sign. */
function splitInput(command: string): { program: string; stdin?: string } {
  const parts: string[] = [""];
  for (let index = 0; index < command.length; index += 1) {
    const character = command[index]!;
    const isEscaped = character === "\\" && command[index + 1] === "%";
    if (isEscaped) index += 1;
    if (character === "%") parts.push("");
    else parts.push(parts.pop() + (isEscaped ? "%" : character));
  }
  const [program = "", ...input] = parts;
  if (program.trim() === "") throw new UnsupportedEntry("it has no command before its %");
  return { program: program.trim(), ...(input.length > 0 && { stdin: input.join("\n") }) };
}

/** `backup.sh` for `PATH=/x /usr/bin/backup.sh --all`. */
function programName(command: string): string {
  const { words } = takeWords(command, 20);
  const program = words.find((word) => !/^[A-Za-z_]\w*=/.test(word)) ?? "";
  const name = unquoted(program).split("/").at(-1) ?? "";
  if (name === "") throw new UnsupportedEntry("its command has no program to name the task after. Use --task");
  return name;
}

/** Names schedules after their commands, in one line, with a number if the command repeats. */
function createNames(): (command: string) => string {
  const counts = new Map<string, number>();
  return (command) => {
    const { words, rest } = takeWords(command, 1);
    const program = words[0]?.split("/").at(-1) || words[0] || "";
    const text = `${program} ${rest.replace(/\s+/g, " ")}`.trim().slice(0, maxNameLength).trim();
    const count = (counts.get(text) ?? 0) + 1;
    counts.set(text, count);
    return count === 1 ? text : `${text} (${count})`;
  };
}

function noteMissingColumn(
  conversion: ConversionInProgress,
  at: string,
  command: string,
  { hasUsers }: CrontabOptions,
) {
  if (hasUsers || takeWords(command, 1).words[0] !== "root") return;
  conversion.note(at, "the command begins with root. If this file has a column for users, add --system", {
    once: true,
  });
}
