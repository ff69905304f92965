import { type Command, isProblem } from "@svc/client";
import { asking, type Connection } from "../api/connect.ts";
import { follow, insist } from "../api/follow.ts";
import { explainProblem } from "../api/problems.ts";
import type { Terminal } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { inOneLine, jsonText } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";

/** A command that no agent will say anything about any more. */
export const isOver = ({ status }: Command): boolean => status !== "pending" && status !== "dispatched";

/** What became of one command, in words. */
export function outcomeOf(command: Command): string {
  const { status, error, result } = command;
  if (status === "completed") {
    const { new_task_id: newId = null } = (result ?? {}) as { new_task_id?: string | null };
    return newId === null ? "completed" : inOneLine(`completed as ${newId}`);
  }
  return inOneLine(error === null ? status : `${status}: ${error}`);
}

/** The command when it is over. @throws CliError when the service refuses or stays away. */
export const awaitOutcome = (connection: Connection, slug: string, id: string): Promise<Command> =>
  asking(connection, () => follow(() => connection.api.getCommand(slug, id), { isDone: isOver }), {
    slug,
    what: `command ${id}`,
  });

/** One command that is to be issued for each of several tasks. */
export interface Work {
  /** For people: `retrying`. */
  readonly what: string;
  readonly slug: string;
  readonly taskIds: readonly string[];
  readonly issue: (taskId: string) => Promise<Command>;
  readonly waits: boolean;
  readonly asJson: boolean;
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
export async function carryOut(work: Work, connection: Connection, terminal: Terminal): Promise<number> {
  const { what, slug, taskIds, waits, asJson } = work;
  const commands: Command[] = [];
  const refused: Refusal[] = [];
  const faults: unknown[] = [];
  let failed = 0;
  const isLonely = taskIds.length === 1;
  const waiting = taskIds.values();

  async function one(taskId: string): Promise<void> {
    const issued = await issueOne(work, taskId, connection, isLonely);
    if ("message" in issued) {
      refused.push(issued);
      if (!asJson) terminal.err(`${inOneLine(taskId)}  refused: ${issued.message}`);
      return;
    }
    if (isLonely && waits) terminal.err(`svc: command ${issued.id} is under way; svc commands watch tells of it later`);
    let command = issued;
    try {
      if (waits) command = await awaitOutcome(connection, slug, issued.id);
    } finally {
      commands.push(command);
      if (isOver(command) && command.status !== "completed") failed += 1;
      if (!asJson)
        terminal.out(`${inOneLine(taskId)}  ${isOver(command) ? outcomeOf(command) : `command ${command.id}`}`);
    }
  }

  {
    using progress = startProgress(what, terminal);
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

/** Refusals that are about one task and say nothing about the next one. */
const ownCodes = new Set(["not_found", "conflict", "validation_error", "unaddressable"]);

async function issueOne(
  { issue, slug }: Work,
  taskId: string,
  connection: Connection,
  isLonely: boolean,
): Promise<Command | Refusal> {
  try {
    return await insist(() => issue(taskId));
  } catch (cause) {
    if (!isProblem(cause)) throw cause;
    const refusal = explainProblem(cause, { ...connection, slug, what: `task ${taskId}` });
    if (isLonely || !ownCodes.has(cause.code)) {
      const doubt = cause.code === "unreachable" ? "; whether the command was issued is not known" : "";
      throw doubt === "" ? refusal : new CliError(refusal.exit, `${refusal.message}${doubt}`, { cause });
    }
    return { task_id: taskId, error: cause.code, message: refusal.message };
  }
}
