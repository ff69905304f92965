import { randomUUID } from "node:crypto";
import { type Command, isProblem } from "@svc/client";
import { authHelp, callService, type Project, projectOptions } from "../api/connect.ts";
import { follow, retryUnreachable } from "../api/follow.ts";
import { explainProblem } from "../api/problems.ts";
import { type CommandOptions, flag, type OptionValues, type Terminal, text } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { defined } from "../command-line/option-values.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";
import { isFinished, outcomeOf } from "./outcomes.ts";

/** Options of commands that act on individual tasks. */
export const taskOptions = {
  agent: text("ID", "agent to use (default: the one that reported the task, otherwise one that supports the action)"),
  key: text("KEY", "idempotency key of a single task: a repeated request with the same key creates no second command"),
  "no-wait": flag("exit once the service has accepted the command"),
  json: flag("print one JSON document with commands and refused"),
  ...projectOptions,
} as const satisfies CommandOptions;

export const waitingHelp = [
  "Waits for the result and exits with 1 when a command fails, times out or is cancelled. Ctrl-C stops waiting, not the command.",
  authHelp,
];

/** Engine and distinct task ids. */
export function readTasks([engine, ...given]: readonly string[], key: string | undefined) {
  const taskIds = [...new Set(given)];
  if (engine === undefined || taskIds.length === 0) throw new CliError("usage", "missing ENGINE or TASK_ID");
  if (key !== undefined && taskIds.length > 1) throw new CliError("usage", "--key requires a single task");
  return { engine, taskIds };
}

interface TaskBody {
  readonly engine: string;
  readonly task_id: string;
  readonly agent_id?: string;
  readonly idempotency_key: string;
}

/** A command to issue for each of several tasks. */
interface Work {
  /** For messages: `retrying`. */
  readonly what: string;
  readonly engine: string;
  readonly taskIds: readonly string[];
  /** The given values of `taskOptions`. */
  readonly given: OptionValues<typeof taskOptions>;
  issue(project: Project, body: TaskBody): Promise<Command>;
}

interface Refusal {
  readonly task_id: string;
  readonly error: string;
  readonly message: string;
}

/** Maximum number of concurrent commands. */
const maxConcurrent = 8;

/**
 * Issues the commands, optionally waits for their results, and prints them. A refusal for one task does not stop the others. A refusal that
 * would apply to all of them does.
 *
 * @returns the exit code: done only when every command was issued and, if waited for, completed.
 * @throws CliError when the only command is refused, or all would be.
 */
export async function carryOut(work: Work, project: Project, terminal: Terminal): Promise<number> {
  const { what, taskIds, given } = work;
  const [waits, asJson] = [given["no-wait"] !== true, given.json === true];
  const commands: Command[] = [];
  const refused: Refusal[] = [];
  const faults: unknown[] = [];
  let failed = 0;
  const isSingle = taskIds.length === 1;

  async function one(taskId: string): Promise<void> {
    const issued = await issueOne(work, taskId, project);
    if ("message" in issued) {
      refused.push(issued);
      if (!asJson) terminal.err(`${inOneLine(taskId)}  refused: ${issued.message}`);
      return;
    }
    if (isSingle && waits)
      terminal.err(`svc: issued command ${issued.id}. Follow it with svc commands watch ${issued.id}`);
    let command = issued;
    try {
      if (waits) command = await awaitOutcome(project, issued.id);
    } finally {
      commands.push(command);
      if (isFinished(command) && command.status !== "completed") failed += 1;
      if (!asJson)
        terminal.out(`${inOneLine(taskId)}  ${isFinished(command) ? outcomeOf(command) : `command ${command.id}`}`);
    }
  }

  {
    using progress = startProgress(what, terminal);
    const remaining = taskIds.values();
    const issueNext = async () => {
      for (const taskId of remaining) {
        await one(taskId).catch((fault: unknown) => faults.push(fault));
        if (faults.length > 0) return;
        const problems = failed + refused.length === 0 ? [] : [`${failed} failed`, `${refused.length} refused`];
        if (!isSingle) progress.show(commands.length + refused.length, taskIds.length, problems);
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxConcurrent, taskIds.length) }, issueNext));
  }
  if (asJson && commands.length + refused.length > 0) terminal.out(jsonText({ commands, refused }));
  if (faults.length > 0) throw faults[0];
  const isSuccess = refused.length === 0 && commands.every(({ status }) => !waits || status === "completed");
  return isSuccess ? exitCodes.done : exitCodes.failed;
}

/** The finished command. @throws CliError when the service refuses or stays unreachable. */
const awaitOutcome = (project: Project, id: string): Promise<Command> =>
  callService(
    project,
    ({ api, slug }) => follow(() => api.getCommand(slug, id), { isDone: isFinished }),
    `command ${id}`,
  );

/** Refusals that concern one task only. */
const ownCodes = new Set(["not_found", "conflict", "validation_error", "unaddressable"]);

/** Every command has a key, so repeating the request after a lost connection is harmless. */
async function issueOne(work: Work, taskId: string, project: Project): Promise<Command | Refusal> {
  const { engine, given, taskIds } = work;
  const body = {
    engine,
    task_id: taskId,
    ...defined({ agent_id: given.agent }),
    idempotency_key: given.key ?? randomUUID(),
  };
  try {
    return await retryUnreachable(() => work.issue(project, body));
  } catch (cause) {
    if (!isProblem(cause)) throw cause;
    const refusal = explainProblem(cause, project, `task ${taskId}`);
    if (taskIds.length === 1 || !ownCodes.has(cause.code)) {
      if (cause.code !== "unreachable") throw refusal;
      throw new CliError(refusal.exit, `${refusal.message}. It is unknown whether the command was issued`, { cause });
    }
    return { task_id: taskId, error: cause.code, message: refusal.message };
  }
}
