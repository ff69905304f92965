import { randomUUID } from "node:crypto";
import { type Command, isProblem } from "@svc/client";
import { asking, type Project, projectOptions, whoAsks } from "../api/connect.ts";
import { follow, insist } from "../api/follow.ts";
import { explainProblem } from "../api/problems.ts";
import { type CommandOptions, flag, type OptionValues, type Terminal, text } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { defined } from "../command-line/option-values.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";
import { isOver, outcomeOf } from "./outcomes.ts";

/** Of every command line that makes an agent do something with single tasks. */
export const actOptions = {
  agent: text("ID", "by this agent (default: the one that reported the task, or that can)"),
  key: text("KEY", "idempotency key: the same key again issues nothing new; for one task"),
  "no-wait": flag("end when the service has accepted the command"),
  json: flag("one JSON document: commands and refused"),
  ...projectOptions,
} as const satisfies CommandOptions;

export const aboutWaiting = [
  "Waits for the outcome and ends with 1 when a command fails, times out or is cancelled; Ctrl-C ends the waiting, not the command.",
  whoAsks,
];

/** Engine and task ids, each id once. */
export function readTasks([engine, ...given]: readonly string[], key: string | undefined) {
  const taskIds = [...new Set(given)];
  if (engine === undefined || taskIds.length === 0)
    throw new CliError("usage", "name an engine and at least one task id");
  if (key !== undefined && taskIds.length > 1) throw new CliError("usage", "one --key is for one task");
  return { engine, taskIds };
}

interface TaskBody {
  readonly engine: string;
  readonly task_id: string;
  readonly agent_id?: string;
  readonly idempotency_key: string;
}

/** One command that is to be issued for each of several tasks. */
interface Work {
  /** For people: `retrying`. */
  readonly what: string;
  readonly engine: string;
  readonly taskIds: readonly string[];
  /** What was given of `actOptions`. */
  readonly given: OptionValues<typeof actOptions>;
  issue(project: Project, body: TaskBody): Promise<Command>;
}

interface Refusal {
  readonly task_id: string;
  readonly error: string;
  readonly message: string;
}

/** So many commands are under way at once. */
const atOnce = 8;

/**
 * Issues the commands, waits for their outcomes when asked to, and prints them. What is refused for one task holds up none of the others;
 * a refusal that would meet each of them ends the work.
 *
 * @returns the exit code: done only when every command was issued and, if waited for, completed.
 * @throws CliError when the only one is refused, or all would be.
 */
export async function carryOut(work: Work, project: Project, terminal: Terminal): Promise<number> {
  const { what, taskIds, given } = work;
  const [waits, asJson] = [given["no-wait"] !== true, given.json === true];
  const commands: Command[] = [];
  const refused: Refusal[] = [];
  const faults: unknown[] = [];
  let failed = 0;
  const isLonely = taskIds.length === 1;

  async function one(taskId: string): Promise<void> {
    const issued = await issueOne(work, taskId, project);
    if ("message" in issued) {
      refused.push(issued);
      if (!asJson) terminal.err(`${inOneLine(taskId)}  refused: ${issued.message}`);
      return;
    }
    if (isLonely && waits)
      terminal.err(`svc: command ${issued.id} is under way; run svc commands watch to follow it later`);
    let command = issued;
    try {
      if (waits) command = await awaitOutcome(project, issued.id);
    } finally {
      commands.push(command);
      if (isOver(command) && command.status !== "completed") failed += 1;
      if (!asJson)
        terminal.out(`${inOneLine(taskId)}  ${isOver(command) ? outcomeOf(command) : `command ${command.id}`}`);
    }
  }

  {
    using progress = startProgress(what, terminal);
    const waiting = taskIds.values();
    const takeTurns = async () => {
      for (const taskId of waiting) {
        await one(taskId).catch((fault: unknown) => faults.push(fault));
        if (faults.length > 0) return;
        const troubles = failed + refused.length === 0 ? [] : [`${failed} failed`, `${refused.length} refused`];
        if (!isLonely) progress.show(commands.length + refused.length, taskIds.length, troubles);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, taskIds.length) }, takeTurns));
  }
  if (asJson && commands.length + refused.length > 0) terminal.out(jsonText({ commands, refused }));
  if (faults.length > 0) throw faults[0];
  const areFine = refused.length === 0 && commands.every(({ status }) => !waits || status === "completed");
  return areFine ? exitCodes.done : exitCodes.failed;
}

/** The command when it is over. @throws CliError when the service refuses or stays away. */
const awaitOutcome = (project: Project, id: string): Promise<Command> =>
  asking(project, ({ api, slug }) => follow(() => api.getCommand(slug, id), { isDone: isOver }), `command ${id}`);

/** Refusals that are about one task and say nothing about the next one. */
const ownCodes = new Set(["not_found", "conflict", "validation_error", "unaddressable"]);

/** Every command has a key, so that asking again after a cut connection does no harm. */
async function issueOne(work: Work, taskId: string, project: Project): Promise<Command | Refusal> {
  const { engine, given, taskIds } = work;
  const body = {
    engine,
    task_id: taskId,
    ...defined({ agent_id: given.agent }),
    idempotency_key: given.key ?? randomUUID(),
  };
  try {
    return await insist(() => work.issue(project, body));
  } catch (cause) {
    if (!isProblem(cause)) throw cause;
    const refusal = explainProblem(cause, project, `task ${taskId}`);
    if (taskIds.length === 1 || !ownCodes.has(cause.code)) {
      if (cause.code !== "unreachable") throw refusal;
      throw new CliError(refusal.exit, `${refusal.message}; whether the command was issued is not known`, { cause });
    }
    return { task_id: taskId, error: cause.code, message: refusal.message };
  }
}
