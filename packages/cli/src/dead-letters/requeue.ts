import { setTimeout as pause } from "node:timers/promises";
import { aboutWaiting, actOptions, carryOut, readTasks } from "../agent-commands/carry-out.ts";
import { asking, openProject, type Project } from "../api/connect.ts";
import { patienceMs } from "../api/follow.ts";
import { defineCommand, flag, type Terminal, text } from "../command-line/command.ts";
import { CliError, exitCodes } from "../command-line/exit-codes.ts";
import { defined, wholeNumber } from "../command-line/option-values.ts";
import { confirms } from "../terminal/ask.ts";
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
    all: flag("every dead letter of the engine, or of --queue; the newest 10,000 at a time"),
    limit: text("N", "with --all: the newest N only, up to 10000"),
    queue: text("NAME", "with --all: of this queue only"),
    yes: flag("with --all: without asking first"),
    ...actOptions,
    agent: text(
      "ID",
      "by this agent (default: the one that reported the task, or that can; with --all the one that listed them)",
    ),
  },
  details: ["Puts dead letters back into their queue, to be run again.", ...aboutWaiting],
  positionals: Number.POSITIVE_INFINITY,
  async run({ values, positionals }, terminal) {
    const { all: isAll = false, queue, key } = values;
    if (isAll && positionals.length > 1) throw new CliError("usage", "--all goes without task ids");
    if (isAll && key !== undefined) throw new CliError("usage", "one --key is for one task");
    if (!isAll && queue !== undefined) throw new CliError("usage", "--queue goes with --all");
    if (!isAll && values.limit !== undefined) throw new CliError("usage", "--limit goes with --all");
    const most = wholeNumber("limit", values.limit ?? String(maxDeadLetters), { min: 1, max: maxDeadLetters });
    if (isAll && positionals.length === 0) throw new CliError("usage", "name the engine");
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
      else terminal.err("svc: there are no dead letters to requeue");
      return exitCodes.done;
    }
    const of = queue === undefined ? engine : `queue ${queue} of ${engine}`;
    const known = left === null ? "" : ` of ${taskIds.length + left}`;
    const which = left === 0 ? taskIds.length : `the newest ${taskIds.length}${known}`;
    if (isAll && values.yes !== true && !(await confirms(`Requeue ${which} dead letters of ${of}? [y/N] `)))
      throw new CliError("refused", `nothing was requeued of ${which} dead letters; --yes goes without asking`);
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
    if (left !== 0) terminal.err(`svc: ${left ?? "some"} more dead letters are left: the same again goes on with them`);
    return code;
  },
});

/** The task ids of so many dead letters at most, newest first, all listed by one agent. A listing that is over the service's budget waits for the next minute. */
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
    const asked = { ...query, ...defined({ cursor, agent_id }), limit: pageSize };
    const page = await asking(project, ({ api, slug }) => inTurn(() => api.listDeadLetters(slug, asked), terminal));
    for (const { task_id } of page.entries) taskIds.add(task_id);
    if (page.entries.length === 0 && page.total !== null && page.total > 0 && taskIds.size === 0) {
      throw new CliError("refused", `${query.engine} tells only how many there are (${page.total}), not which`);
    }
    cursor = page.next_cursor ?? undefined;
    total = page.total;
    agent_id = page.agent_id;
    progress.show(taskIds.size, Math.max(taskIds.size, page.total ?? 0));
  } while (cursor !== undefined && taskIds.size < most);
  const taken = [...taskIds].slice(0, most);
  const all = cursor === undefined ? taskIds.size : total;
  return {
    taskIds: taken,
    /** How many dead letters there are besides; null where the engine does not tell. */
    left: all === null ? null : Math.max(0, all - taken.length),
    /** Who listed them: another agent of the engine may watch another server. */
    agent: agent_id,
  };
}

async function inTurn<T>(read: () => Promise<T>, terminal: Terminal): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (fault) {
      const waitMs = (fault as { status?: number }).status === 429 ? patienceMs(fault) : null;
      if (waitMs === null) throw fault;
      terminal.err(`svc: over the budget for listings; going on in ${Math.ceil(waitMs / 1000)} s`);
      await pause(waitMs);
    }
  }
}
