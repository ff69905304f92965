import { open } from "node:fs/promises";
import { basename, extname } from "node:path";
import { catchUpPolicies } from "@svc/client";
import { type CommandOptions, flag, type OptionValues, text } from "../../command-line/command.ts";
import { CliError } from "../../command-line/exit-codes.ts";
import { oneOf } from "../../command-line/option-values.ts";
import { hasTerminal } from "../../terminal/ask.ts";
import { readBullmq } from "../import/bullmq.ts";
import { readCeleryBeat } from "../import/celery-beat.ts";
import { type Conversion, maxInputBytes, type ScheduleDraft } from "../import/conversion.ts";
import { readCrontab } from "../import/crontab.ts";
import { readExported } from "../import/exported.ts";

export const formats = ["crontab", "celery-beat", "bullmq", "json"] as const;
type Format = (typeof formats)[number];

/** Options of `import` and `diff`. */
export const inputOptions = {
  engine: text(
    "NAME",
    "engine that runs the tasks (required for crontab, default celery for celery-beat and bullmq for bullmq)",
  ),
  queue: text("NAME", "queue for entries that name none"),
  timezone: text("ZONE", "time zone for entries that name none, for example Europe/Berlin (default UTC)"),
  task: text("NAME", "crontab: the task that runs each command, which it gets as the named argument command"),
  "task-from-command": flag("crontab: name each task after the program of its command instead"),
  system: flag("crontab: the file has a column of users, as /etc/crontab"),
  "catch-up": text("POLICY", "what happens to missed slots: skip, fire_one_missed, fire_all_missed (default skip)"),
  disabled: flag("import the schedules disabled"),
  "source-name": text("NAME", "end of the source, such as backup in crontab:backup (default: the name of the file)"),
  replace: flag("also delete the schedules of this source that the file does not contain, at most 2,000 schedules"),
} as const satisfies CommandOptions;

/** Options that make sense for each format, of those that do not for all. */
const ownOptions: Readonly<Record<Format, readonly (keyof typeof inputOptions)[]>> = {
  crontab: ["engine", "queue", "timezone", "task", "task-from-command", "system"],
  "celery-beat": ["engine", "queue", "timezone"],
  bullmq: ["engine", "queue", "timezone"],
  json: [],
};
const someOptions = ownOptions.crontab;

export interface Input {
  readonly conversion: Conversion;
  /** With the source and the options for all entries. */
  readonly schedules: readonly ScheduleDraft[];
  readonly source: string;
}

type Values = OptionValues<typeof inputOptions>;

/** Reads FORMAT and FILE, and converts the file. @throws CliError */
export async function readInput(values: Values, [word, file, ...more]: readonly string[]): Promise<Input> {
  const format = formats.find((one) => one === word);
  if (format === undefined) throw new CliError("usage", `missing FORMAT: ${formats.join(", ")}`);
  if (file === undefined) throw new CliError("usage", "missing FILE, or - for standard input");
  if (more.length > 0) throw new CliError("usage", `unexpected argument "${more[0]}"`);
  for (const option of someOptions) {
    if (values[option] !== undefined && !ownOptions[format].includes(option))
      throw new CliError("usage", `--${option} is not for ${format}`);
  }
  const policy = values["catch-up"];
  const catchUp = policy === undefined ? undefined : oneOf("catch-up", policy, catchUpPolicies);
  const convert = converterOf(format, values);
  const source = `${format}:${values["source-name"] ?? nameOf(file)}`;
  if (source.length > 64) throw new CliError("usage", "the source name is too long. Use --source-name");
  const conversion = convert(await readText(file), Date.now());
  // Exported schedules keep their source, unless the file replaces all of one.
  const keepsSource = format === "json" && values.replace !== true && values["source-name"] === undefined;
  const schedules = conversion.schedules.map((draft) => ({
    ...draft,
    source: (keepsSource ? draft.source : undefined) ?? source,
    ...(catchUp !== undefined && { catch_up: catchUp }),
    ...(values.disabled === true && { is_enabled: false }),
  }));
  return { conversion, schedules, source };
}

type Convert = (text: string, now: number) => Conversion;

function converterOf(format: Format, values: Values): Convert {
  const { queue, timezone, task } = values;
  switch (format) {
    case "crontab": {
      const { engine } = values;
      if (engine === undefined) throw new CliError("usage", "missing --engine");
      if ((task === undefined) === (values["task-from-command"] !== true))
        throw new CliError("usage", "give either --task or --task-from-command");
      const options = { engine, queue, timezone, task: task ?? null, hasUsers: values.system === true };
      return (text, now) => readCrontab(text, options, now);
    }
    case "celery-beat":
      return (text, now) => readCeleryBeat(text, { engine: values.engine ?? "celery", queue, timezone }, now);
    case "bullmq":
      return (text, now) => readBullmq(text, { engine: values.engine ?? "bullmq", queue, timezone }, now);
    case "json":
      return readExported;
  }
}

const nameOf = (file: string): string => (file === "-" ? "stdin" : basename(file, extname(file)));

/** @throws CliError `notFound` for a file that can't be read, `usage` for a terminal, `failed` for a text that is too large */
async function readText(file: string): Promise<string> {
  if (file === "-") {
    if (hasTerminal()) throw new CliError("usage", "standard input is a terminal. Pipe a file into it, or name one");
    return limitedText(process.stdin);
  }
  try {
    await using handle = await open(file);
    return await limitedText(handle.createReadStream({ autoClose: false }));
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    throw new CliError("notFound", `can't read ${file}`, { cause });
  }
}

async function limitedText(stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    bytes += part.byteLength;
    if (bytes > maxInputBytes) throw new CliError("failed", "the input is larger than 8 MiB");
    chunks.push(part);
  }
  return Buffer.concat(chunks)
    .toString("utf8")
    .replace(/^\ufeff/, "");
}
