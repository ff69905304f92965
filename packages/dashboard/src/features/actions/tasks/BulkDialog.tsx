import { type BulkRetryCommandBody, plural, type TaskCommandBody } from "@svc/client";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { api } from "../../../api/api.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { dialogList } from "../../../ui/layers/Layers.tsx";
import { count, nameText, printable } from "../../../ui/time/format.ts";
import { type ListRow, taskKey } from "../../task-data/index.ts";
import { useCreateBulkRetry } from "../bulk-retries/creating/use-create.ts";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { eligibleAgents } from "../requests/eligible-agents.ts";
import { freshKey } from "../requests/keyed-requests.ts";
import { useAgents, useFrozen, useIssue } from "../requests/use-act.ts";
import { runEntry, useCommandRun } from "../requests/use-command-run.ts";
import { type BulkCommand, commandsOf, maximumPerCommand, planOf, type TaskAct } from "./bulk-plan.ts";

/** Each cancel is a command of its own. */
const maximumCancels = 200;

interface BulkDialogProps {
  slug: string;
  act: TaskAct;
  rows: readonly ListRow[];
  /** Describes the tasks in a sentence. */
  what?: string;
  /** Called for the rows of each request that was made. */
  onMade?: (rows: readonly ListRow[]) => void;
  onClose: () => void;
  /** Called once all requests are made. */
  onDone?: () => void;
}

/** Retries or cancels the selected tasks: one command per engine or a bulk retry for retries, one command per task for cancels. */
export function BulkDialog({
  slug,
  act,
  rows: selected,
  what = "Selected tasks.",
  onMade,
  onClose,
  onDone,
}: BulkDialogProps) {
  // Frozen at the selection when the dialog opened: the list keeps changing.
  const [rows] = useState(selected);
  const [runId] = useState(freshKey);
  const retry = useIssue(slug, (to, body: BulkRetryCommandBody) => api.retryTasks(to, body));
  const bulk = useCreateBulkRetry(slug);
  const cancel = useIssue(slug, (to, body: TaskCommandBody) => api.cancelTask(to, body));
  const isLost = retry.isLost || bulk.isLost || cancel.isLost;
  const { made, isBusy, failure, hasBegun, isDone, hasMore, isStopping, stop, run } = useCommandRun(isLost, runId);
  const plan = planOf(rows, act);
  const online = useAgents(slug);
  // After the first request the agents stay the same.
  const { agents, reason: agentsReason } = useFrozen(online, hasBegun);
  const engines = plan.engines.map((one) => ({
    ...one,
    eligibility: eligibleAgents(agents, one.engine, act === "retry" ? "bulk_retry" : "cancel_task"),
  }));
  const possible = engines.filter(({ eligibility }) => agentsReason !== null || eligibility.reason === null);
  const tasks = possible.reduce((sum, one) => sum + one.rows.length, 0);
  const many = plural(tasks, "task");
  const verb = act === "retry" ? "Retry" : "Cancel";
  const reason =
    engines.length === 0
      ? act === "retry"
        ? "None of the tasks has finished yet"
        : "All tasks have already finished"
      : (agentsReason ??
        (tasks === 0
          ? (engines[0]?.eligibility.reason ?? null)
          : act === "cancel" && tasks > maximumCancels
            ? `Maximum ${count(maximumCancels)} at a time`
            : null));
  const commands = possible.flatMap((one) => commandsOf({ ...one, agentId: one.eligibility.agents[0]?.id ?? "" }, act));
  const requested = commands.slice(0, made).reduce((sum, command) => sum + command.rows.length, 0);

  const finish = () => {
    onClose();
    onDone?.();
  };
  const send = async () => {
    const requests = commands.map((command, at) => async () => {
      await (act === "retry" ? requestRetry(command) : requestCancel(command, at + 1));
      onMade?.(command.rows);
    });
    if ((await run(requests)) && act === "retry") finish();
  };
  const requestRetry = ({ engine, agentId, rows: own, bulkState }: BulkCommand<ListRow>): Promise<unknown> => {
    const label = `Retry ${plural(own.length, "task")} of ${printable(engine)}`;
    const filter = { engine, task_ids: own.map(taskKey) };
    const max = own.length;
    return bulkState === null
      ? retry.mutateAsync({ body: { agent_id: agentId, filter, max }, entry: { label } })
      : bulk.mutateAsync({ body: { filter: { ...filter, state: bulkState }, max }, label });
  };
  const requestCancel = async ({ engine, agentId, rows: own }: BulkCommand<ListRow>, place: number): Promise<void> => {
    const [row] = own;
    if (row === undefined) return;
    const taskId = taskKey(row);
    const all = { id: runId, action: "cancel_task", label: "Cancel tasks", total: commands.length };
    const entry = runEntry(all, place, { label: `Cancel ${nameText(row.name)}`, task: { engine, taskId } });
    await cancel.mutateAsync({ body: { agent_id: agentId, engine, task_id: taskId }, entry });
  };
  const leave = () => {
    stop();
    (isDone ? finish : onClose)();
  };

  return (
    <CommandDialog
      title={`${verb} ${many}`}
      onClose={leave}
      request={{ error: failure, isLost, isPending: isBusy }}
      reason={reason}
      nothing={made === 0 ? "Nothing was requested." : "The rest was not requested."}
      what={commands.length > 1 ? "the next request" : undefined}
      isDanger={act === "cancel"}
      act={isDone ? null : `${verb} ${made > 0 && !isBusy ? `remaining ${count(tasks - requested)}` : many}`}
      leave={hasMore ? "Stop" : isDone ? "Close" : "Cancel"}
      onLeave={hasMore ? stop : leave}
      onSend={() => void send()}
    >
      <p>
        {what}{" "}
        {act === "retry"
          ? "They run again with their original arguments."
          : "Their engines are asked to stop them. Work already done is not undone."}
      </p>
      <ul className={dialogList}>
        {engines.map(({ engine, rows: own, eligibility }) => (
          <li key={engine}>
            {count(own.length)} of {printable(engine)}
            {agentsReason !== null
              ? null
              : eligibility.reason !== null
                ? `, excluded: ${eligibility.reason}`
                : act === "retry" && own.length > maximumPerCommand
                  ? ", as a bulk retry that you can pause, by any eligible agent"
                  : `, by agent ${nameText(eligibility.agents[0]?.name ?? "")}`}
          </li>
        ))}
        {plan.excluded > 0 ? (
          <li>
            {count(plan.excluded)} excluded: {act === "retry" ? "not finished yet" : "already finished"}
          </li>
        ) : null}
      </ul>
      {made > 0 || isStopping ? (
        <p role="status">
          {count(requested)} of {count(tasks)} requested.{isStopping ? " Stopping after the current request." : ""}{" "}
          <AppLink href={paths.commands(slug, { action: act === "retry" ? "bulk_retry" : "cancel_task" })}>
            View progress
          </AppLink>
        </p>
      ) : null}
    </CommandDialog>
  );
}
