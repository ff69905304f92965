import type { BulkRetryCommandBody, TaskCommandBody } from "@svc/client";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { api } from "../../../api/api.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { dialogList } from "../../../ui/layers/Layers.tsx";
import { count, nameText, printable } from "../../../ui/time/format.ts";
import { type ListRow, taskKey } from "../../task-data/index.ts";
import { useCreateBulkRetry } from "../bulk-retries/creating/use-create.ts";
import { ableAgents } from "../requests/able.ts";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { freshKey } from "../requests/keyed-requests.ts";
import { useAgents, useIssue, useKept } from "../requests/use-act.ts";
import { toldInTurn, useInTurn } from "../requests/use-in-turn.ts";
import { type BulkOrder, mostInOneCommand, ordersOf, planOf, type TaskAct } from "./bulk-plan.ts";

/** Each cancel is a command of its own. */
const maximumCancels = 200;

interface BulkDialogProps {
  slug: string;
  act: TaskAct;
  rows: readonly ListRow[];
  /** Which tasks these are, as a sentence. */
  what?: string;
  /** It was asked for these. */
  onMade?: (rows: readonly ListRow[]) => void;
  onClose: () => void;
  /** It was asked for all of them. */
  onDone?: () => void;
}

/** Retries or cancels the ticked tasks: a retry is one command for each engine, or a bulk retry of many; a cancel one for each task. */
export function BulkDialog({
  slug,
  act,
  rows: ticked,
  what = "Selected tasks.",
  onMade,
  onClose,
  onDone,
}: BulkDialogProps) {
  // What was ticked when it was asked for, though the list goes on.
  const [rows] = useState(ticked);
  const [runId] = useState(freshKey);
  const retry = useIssue(slug, (to, body: BulkRetryCommandBody) => api.retryTasks(to, body));
  const bulk = useCreateBulkRetry(slug);
  const cancel = useIssue(slug, (to, body: TaskCommandBody) => api.cancelTask(to, body));
  const isLost = retry.isLost || bulk.isLost || cancel.isLost;
  const { made, isBusy, failure, hasBegun, isDone, goesOn, isStopping, stop, run } = useInTurn(isLost, runId);
  const plan = planOf(rows, act);
  const online = useAgents(slug);
  // Once something is asked for it stays with these agents, whoever else comes or goes.
  const { agents, reason: held } = useKept(online, hasBegun);
  const engines = plan.engines.map((one) => ({
    ...one,
    able: ableAgents(agents, one.engine, act === "retry" ? "bulk_retry" : "cancel_task"),
  }));
  const doable = engines.filter(({ able }) => held !== null || able.reason === null);
  const tasks = doable.reduce((sum, one) => sum + one.rows.length, 0);
  const many = `${count(tasks)} ${tasks === 1 ? "task" : "tasks"}`;
  const verb = act === "retry" ? "Retry" : "Cancel";
  const reason =
    engines.length === 0
      ? act === "retry"
        ? "None of them has ended yet"
        : "All of them have ended"
      : (held ??
        (tasks === 0
          ? (engines[0]?.able.reason ?? null)
          : act === "cancel" && tasks > maximumCancels
            ? `At most ${count(maximumCancels)} at a time`
            : null));
  const orders = doable.flatMap((one) => ordersOf({ ...one, agentId: one.able.agents[0]?.id ?? "" }, act));
  const asked = orders.slice(0, made).reduce((sum, order) => sum + order.rows.length, 0);

  const finish = () => {
    onClose();
    onDone?.();
  };
  const send = async () => {
    const requests = orders.map((order, at) => async () => {
      await (act === "retry" ? askRetry(order) : askCancel(order, at + 1));
      onMade?.(order.rows);
    });
    if ((await run(requests)) && act === "retry") finish();
  };
  const askRetry = ({ engine, agentId, rows: own, bulkState }: BulkOrder<ListRow>): Promise<unknown> => {
    const words = `Retry ${count(own.length)} ${own.length === 1 ? "task" : "tasks"} of ${printable(engine)}`;
    const filter = { engine, task_ids: own.map(taskKey) };
    const max = own.length;
    return bulkState === null
      ? retry.mutateAsync({ body: { agent_id: agentId, filter, max }, told: { words } })
      : bulk.mutateAsync({ body: { filter: { ...filter, state: bulkState }, max }, words });
  };
  const askCancel = async ({ engine, agentId, rows: own }: BulkOrder<ListRow>, place: number): Promise<void> => {
    const [row] = own;
    if (row === undefined) return;
    const taskId = taskKey(row);
    const all = { id: runId, action: "cancel_task", words: "Cancel tasks", total: orders.length };
    const told = toldInTurn(all, place, { words: `Cancel ${nameText(row.name)}`, task: { engine, taskId } });
    await cancel.mutateAsync({ body: { agent_id: agentId, engine, task_id: taskId }, told });
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
      nothing={made === 0 ? "Nothing was asked for." : "The rest was not asked for."}
      what={orders.length > 1 ? "the next of them" : "it"}
      isDanger={act === "cancel"}
      act={isDone ? null : `${verb} ${made > 0 && !isBusy ? `the other ${count(tasks - asked)}` : many}`}
      leave={goesOn ? "Stop" : isDone ? "Close" : "Cancel"}
      onLeave={goesOn ? stop : leave}
      onSend={() => void send()}
    >
      <p>
        {what}{" "}
        {act === "retry"
          ? "They run again with their original arguments."
          : "Their engines are asked to stop them. Work already done is not undone."}
      </p>
      <ul className={dialogList}>
        {engines.map(({ engine, rows: own, able }) => (
          <li key={engine}>
            {count(own.length)} of {printable(engine)}
            {held !== null
              ? null
              : able.reason !== null
                ? `, which are left out: ${able.reason}`
                : act === "retry" && own.length > mostInOneCommand
                  ? ", sent one by one as a bulk retry that can be paused, by any agent that can"
                  : `, by the agent ${nameText(able.agents[0]?.name ?? "")}`}
          </li>
        ))}
        {plan.leftOut > 0 ? (
          <li>
            {count(plan.leftOut)} {plan.leftOut === 1 ? "is" : "are"} left out:{" "}
            {act === "retry" ? "not ended yet" : "ended already"}
          </li>
        ) : null}
      </ul>
      {made > 0 || isStopping ? (
        <p role="status">
          {count(asked)} of {count(tasks)} asked for.{isStopping ? " No more after the one that is on its way." : ""}{" "}
          <AppLink href={paths.commands(slug, { action: act === "retry" ? "bulk_retry" : "cancel_task" })}>
            See how they end
          </AppLink>
        </p>
      ) : null}
    </CommandDialog>
  );
}
