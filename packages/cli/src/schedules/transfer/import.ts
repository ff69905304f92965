import { plural, type ScheduleDiff, type ScheduleImportReport } from "@svc/client";
import { authHelp, callService, openProject, type Project, projectOptions } from "../../api/connect.ts";
import {
  type CommandOptions,
  defineCommand,
  flag,
  type OptionValues,
  type Terminal,
} from "../../command-line/command.ts";
import { CliError, exitCodes } from "../../command-line/exit-codes.ts";
import { jsonOption } from "../../command-line/option-values.ts";
import { confirm } from "../../terminal/ask.ts";
import { inOneLine, jsonText } from "../../terminal/printed.ts";
import type { Conversion, Finding } from "../import/conversion.ts";
import { type Batch, batchesOf, onlyBatch } from "./batches.ts";
import { changesNothing, countsOf, diffLines } from "./diff-text.ts";
import { formats, type Input, inputOptions, readInput } from "./read-input.ts";

const diffOptions = {
  ...inputOptions,
  "exit-code": flag("exit with 1 if there are differences"),
  ...jsonOption,
  ...projectOptions,
} as const satisfies CommandOptions;

const importOptions = {
  ...inputOptions,
  partial: flag("accept that some entries can't be imported, and import the others"),
  yes: flag("do not ask for confirmation"),
  json: flag("print one JSON document with problems, notes, diff and result"),
  ...projectOptions,
} as const satisfies CommandOptions;

const words = formats.join("|");
const fileHelp = [
  "FILE is a crontab; the beat_schedule of Celery as JSON, or manage.py dumpdata django_celery_beat; the job schedulers of BullMQ as JSON;",
  "or the JSON of svc schedules export. Use - for standard input. Guide: docs/guides/import-schedules.md.",
];

export const schedulesDiff = defineCommand({
  usage: [`schedules diff ${words} FILE [options] [--json]`],
  options: diffOptions,
  words: formats,
  details: [
    "Shows what svc schedules import would create, change and delete, and changes nothing.",
    ...fileHelp,
    authHelp,
  ],
  positionals: 3,
  async run({ values, positionals }, terminal) {
    const input = await readInput(values, positionals);
    printFindings(input.conversion, terminal);
    const project = await openProject(values, terminal);
    const diff = await readDiff(input, values, project);
    if (values.json === true) terminal.out(jsonText({ ...findingsOf(input.conversion), diff }));
    else printDiff(diff, terminal);
    printErrors(diff.errors, input, terminal);
    const differs = !changesNothing(diff) || input.conversion.problemCount + diff.summary.failed > 0;
    return values["exit-code"] === true && differs ? exitCodes.failed : exitCodes.done;
  },
});

export const schedulesImport = defineCommand({
  usage: [
    `schedules import ${words} FILE [options] [--yes] [--json]`,
    "schedules import crontab FILE --engine NAME (--task NAME | --task-from-command) [--system]",
  ],
  options: importOptions,
  words: formats,
  details: [
    "Shows the differences, then asks before it writes. Existing schedules of the same name are changed.",
    ...fileHelp,
    "Exits with 1 when an entry was not imported, unless --partial accepts it. Requires the admin role.",
    authHelp,
  ],
  positionals: 3,
  async run({ values, positionals }, terminal) {
    const input = await readInput(values, positionals);
    printFindings(input.conversion, terminal);
    const project = await openProject(values, terminal);
    const diff = await readDiff(input, values, project);
    printErrors(diff.errors, input, terminal);
    if (values.json !== true) printDiff(diff, terminal);
    const problems = input.conversion.problemCount + diff.summary.failed;
    const result = changesNothing(diff) ? null : await write(input, { diff, problems }, { values, project, terminal });
    if (values.json === true) terminal.out(jsonText({ ...findingsOf(input.conversion), diff, result }));
    const accepted = values.partial === true ? problems : 0;
    return Math.max(problems, result?.failed ?? 0) > accepted ? exitCodes.failed : exitCodes.done;
  },
});

type Values = OptionValues<typeof importOptions>;

/** Asks for confirmation and imports. @throws CliError `refused` */
async function write(
  input: Input,
  { diff, problems }: { diff: ScheduleDiff; problems: number },
  { values, project, terminal }: { values: Values; project: Project; terminal: Terminal },
): Promise<ScheduleImportReport> {
  const counts = countsOf(diff);
  const failing = problems === 0 ? "" : `${plural(problems, "entry", "entries")} can't be imported`;
  if (failing !== "" && values.partial !== true) {
    if (values.yes === true || values.replace === true)
      throw new CliError("refused", `nothing was imported, because ${failing}. Correct the file, or use --partial`);
  }
  const question = `Import into project ${project.slug}: ${counts}${failing === "" ? "" : `; ${failing}`}? [y/N] `;
  if (values.yes !== true && !(await confirm(question)))
    throw new CliError("refused", `nothing was imported. Use --yes to import without confirmation: ${counts}`);
  const result = await sendImport(input, values, project);
  const fresh = Object.entries(result.errors).filter(([index]) => diff.errors[index] === undefined);
  printErrors(Object.fromEntries(fresh), input, terminal);
  if (values.json === true) return result;
  const { inserted, updated, deleted, unchanged, failed } = result;
  terminal.err(
    `svc: ${inserted} created, ${updated} changed, ${deleted} deleted, ${unchanged} unchanged${failed === 0 ? "" : `, ${failed} failed`}`,
  );
  return result;
}

const maxPrinted = 50;

interface Sending {
  readonly replace?: boolean | undefined;
}

/** The requests of an input. @throws CliError `failed` if a source can't be replaced with one request */
function requestsOf({ schedules }: Input, { replace }: Sending): Batch[] {
  if (schedules.length === 0) throw new CliError("failed", "the input contains no schedule that can be imported");
  return replace === true ? onlyBatch(schedules) : batchesOf(schedules);
}

const bodyOf = (batch: Batch, { source }: Input, { replace }: Sending) => ({
  schedules: batch.schedules,
  ...(replace === true
    ? ({ mode: "replace_for_source", source_filter: source } as const)
    : ({ mode: "upsert" } as const)),
});

const counted = ["inserted", "updated", "unchanged", "failed", "deleted"] as const;
const nothing = () => ({ inserted: 0, updated: 0, unchanged: 0, failed: 0, deleted: 0 });

/** The differences of all requests. The keys of `errors` are places in the input. */
async function readDiff(input: Input, given: Sending, project: Project): Promise<ScheduleDiff> {
  const total: ScheduleDiff = { inserted: [], updated: [], unchanged: [], deleted: [], summary: nothing(), errors: {} };
  for (const batch of requestsOf(input, given)) {
    const body = bodyOf(batch, input, given);
    const part = await callService(project, ({ api, slug }) => api.diffSchedules(slug, body));
    for (const list of ["inserted", "updated", "unchanged", "deleted"] as const) total[list].push(...part[list]);
    for (const field of counted) total.summary[field] += part.summary[field];
    addErrors(total, part, batch);
  }
  return total;
}

interface Refusals {
  readonly errors: Record<string, unknown>;
}

function addErrors(total: Refusals, part: Refusals, { offset }: Batch): void {
  for (const [index, text] of Object.entries(part.errors)) total.errors[String(Number(index) + offset)] = text;
}

async function sendImport(input: Input, given: Sending, project: Project): Promise<ScheduleImportReport> {
  const total: ScheduleImportReport = { ...nothing(), errors: {} };
  for (const batch of requestsOf(input, given)) {
    const body = bodyOf(batch, input, given);
    const part = await callService(project, ({ api, slug }) => api.importSchedules(slug, body)).catch(
      (cause: unknown) => {
        if (!(cause instanceof CliError) || batch.offset === 0) throw cause;
        const done = `${plural(batch.offset, "schedule")} of the input ${batch.offset === 1 ? "was" : "were"} sent before`;
        throw new CliError(cause.exit, `${cause.message}\n     ${done}. Run the command again to continue`, { cause });
      },
    );
    for (const field of counted) total[field] += part[field];
    addErrors(total, part, batch);
  }
  return total;
}

/** What the service refuses. */
function printErrors(errors: Readonly<Record<string, unknown>>, { schedules }: Input, terminal: Terminal): void {
  const entries = Object.entries(errors).map(([index, text]) => ({
    at: schedules[Number(index)]?.name ?? index,
    text: String(text),
  }));
  printList(entries, { count: entries.length, word: "not imported: " }, terminal);
}

function printDiff(diff: ScheduleDiff, terminal: Terminal): void {
  for (const line of diffLines(diff)) terminal.out(line);
  terminal.err(`svc: ${countsOf(diff)}`);
}

function printFindings({ problems, problemCount, notes }: Conversion, terminal: Terminal): void {
  printList(notes, { count: notes.length, word: "note: " }, terminal);
  printList(problems, { count: problemCount, word: "not imported: " }, terminal);
}

function printList(findings: readonly Finding[], { count, word }: { count: number; word: string }, terminal: Terminal) {
  const shown = findings.slice(0, maxPrinted);
  for (const { at, text } of shown) terminal.err(`svc: ${word}${inOneLine(at)}: ${inOneLine(text)}`);
  if (count > shown.length) terminal.err(`svc: ${count - shown.length} more`);
}

const findingsOf = ({ problems, problemCount, notes }: Conversion) => ({
  problems,
  problem_count: problemCount,
  notes,
});
