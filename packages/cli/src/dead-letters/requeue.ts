import { setTimeout as pause } from "node:timers/promises";
import { plural } from "@svc/client";
import { carryOut, readTasks, taskOptions, waitingHelp } from "../agent-commands/carry-out.ts";
import { callService, openProject, type Project } from "../api/connect.ts";
import { retryDelayMs } from "../api/follow.ts";
import { defineCommand, flag, type Terminal, text } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { defined, wholeNumber } from "../command-line/option-values.ts";
import { confirm } from "../terminal/ask.ts";
import { jsonText } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";

const maxDeadLetters = 10_000;
const pageSize = 200;

export const deadLettersRequeue = defineCommand({
  usage: [
    "dead-letters requeue ENGINE TASK_ID... [--no-wait] [--json]",
    "dead-letters requeue ENGINE --all [--queue NAME] [--limit N] [--yes] [--no-wait] [--json]",
  ],
  options: {
    all: flag("all dead letters of the engine or --queue, the newest 10,000 at a time"),
    limit: text("N", "with --all: only the newest N, up to 10,000"),
    queue: text("NAME", "with --all: only this queue"),
    yes: flag("with --all: do not ask for confirmation"),
    ...taskOptions,
    agent: text(
      "ID",
      "agent to use (default: the one that reported the task, otherwise one that supports it, with --all the one that listed them)",
    ),
  },
  details: ["Puts dead letters back into their queue to run again.", ...waitingHelp],
  positionals: Number.POSITIVE_INFINITY,
  async run({ values, positionals }, terminal) {
    const { all: isAll = false, queue, key } = values;
    if (isAll && positionals.length > 1) throw new CliError("usage", "--all does not accept task ids");
    if (isAll && key !== undefined) throw new CliError("usage", "--key requires a single task");
    if (!isAll && queue !== undefined) throw new CliError("usage", "--queue requires --all");
    if (!isAll && values.limit !== undefined) throw new CliError("usage", "--limit requires --all");
    const most = wholeNumber("limit", values.limit ?? String(maxDeadLetters), { min: 1, max: maxDeadLetters });
    if (isAll && positionals.length === 0) throw new CliError("usage", "missing ENGINE");
    const named = isAll ? null : readTasks(positionals, key);
    const engine = positionals[0]!;

    const project = await openProject(values, terminal);
    const query = { engine, ...defined({ queue, agent_id: values.agent }) };
    const { taskIds, left, agent } =
      named === null
        ? await readTaskIds(project, { query, most }, terminal)
        : { taskIds: named.taskIds, left: 0, agent: values.agent };
    if (taskIds.length === 0) {
      if (values.json === true) terminal.out(jsonText({ commands: [], refused: [] }));
      else terminal.err("svc: no dead letters to requeue");
      return exitCodes.done;
    }
    const source = queue === undefined ? engine : `queue ${queue} of ${engine}`;
    const known = left === null || left === 0 ? "" : ` (${taskIds.length + left} in total)`;
    const which = `${left === 0 ? "" : "the newest "}${plural(taskIds.length, "dead letter")}${known}`;
    if (isAll && values.yes !== true && !(await confirm(`Requeue ${which} of ${source}? [y/N] `)))
      throw new CliError("refused", `nothing was requeued. Use --yes to requeue ${which} without confirmation`);
    const code = await carryOut(
      {
        what: "requeueing",
        engine,
        taskIds,
        given: { ...values, ...defined({ agent }) },
        issue: ({ api, slug }, body) => api.requeueDeadLetter(slug, body),
      },
      project,
      terminal,
    );
    if (left !== 0)
      terminal.err(
        `svc: ${left === null ? "more dead letters are" : `${plural(left, "dead letter")} ${left === 1 ? "is" : "are"}`} left. Run the command again to continue`,
      );
    return code;
  },
});

/** The task ids of at most `most` dead letters, newest first, all listed by one agent. When rate-limited, waits for the next minute. */
async function readTaskIds(
  project: Project,
  { query, most }: { query: { engine: string; queue?: string; agent_id?: string }; most: number },
  terminal: Terminal,
) {
  using progress = startProgress("reading", terminal);
  const taskIds = new Set<string>();
  let cursor: string | undefined;
  let total: number | null = null;
  let agent_id = query.agent_id;
  do {
    const pageQuery = { ...query, ...defined({ cursor, agent_id }), limit: pageSize };
    const page = await callService(project, ({ api, slug }) =>
      waitForRateLimit(() => api.listDeadLetters(slug, pageQuery), terminal),
    );
    for (const { task_id } of page.entries) taskIds.add(task_id);
    if (page.entries.length === 0 && page.total !== null && page.total > 0 && taskIds.size === 0) {
      throw new CliError(
        "refused",
        `${query.engine} reports only the number of dead letters (${page.total}), not their ids`,
      );
    }
    cursor = page.next_cursor ?? undefined;
    total = page.total;
    agent_id = page.agent_id;
    progress.show(taskIds.size, Math.max(taskIds.size, page.total ?? 0));
  } while (cursor !== undefined && taskIds.size < most);
  const selected = [...taskIds].slice(0, most);
  const all = cursor === undefined ? taskIds.size : total;
  return {
    taskIds: selected,
    /** Number of further dead letters. Null when the engine does not report it. */
    left: all === null ? null : Math.max(0, all - selected.length),
    /** The agent that listed them. Another agent of the engine may watch another server. */
    agent: agent_id,
  };
}

async function waitForRateLimit<T>(read: () => Promise<T>, terminal: Terminal): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (fault) {
      const waitMs = (fault as { status?: number }).status === 429 ? retryDelayMs(fault) : null;
      if (waitMs === null) throw fault;
      terminal.err(`svc: rate limit reached, continuing in ${Math.ceil(waitMs / 1000)} s`);
      await pause(waitMs);
    }
  }
}
