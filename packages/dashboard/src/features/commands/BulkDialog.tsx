import type { BulkRetryCommandBody, TaskCommandBody } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../api.ts";
import { paths } from "../../paths.ts";
import { stringifySearch } from "../../search-text.ts";
import { ActButton } from "../../ui/ActButton.tsx";
import { AppLink } from "../../ui/AppLink.tsx";
import controls from "../../ui/controls.module.css";
import { count, nameText, printable } from "../../ui/format.ts";
import { Dialog, dialogFoot, dialogList } from "../../ui/Layers.tsx";
import { Refusal } from "../../ui/Refusal.tsx";
import { agentsQuery } from "../agents/queries.ts";
import { useCreateBulkRetry } from "../bulk-retries/use-create.ts";
import type { ListRow } from "../tasks/task-pages.ts";
import { ableAgents } from "./able.ts";
import { mostInOneCommand, planOf, retryOrders } from "./bulk-plan.ts";
import type { TaskAct } from "./TaskCommands.tsx";
import { useIssue } from "./use-act.ts";
import { useInTurn } from "./use-in-turn.ts";
import { refusalWords } from "./words.ts";

/** Each cancel is a command of its own. */
const maximumCancels = 200;

interface BulkDialogProps {
  slug: string;
  act: TaskAct;
  rows: readonly ListRow[];
  onClose: () => void;
  onDone: () => void;
}

/** Retries or cancels the ticked tasks: a retry is one command for each engine, or a bulk retry of many; a cancel one for each task. */
export function BulkDialog({ slug, act, rows: ticked, onClose, onDone }: BulkDialogProps) {
  // What was ticked when it was asked for, though the list goes on.
  const [rows] = useState(ticked);
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const retry = useIssue(slug, (to, body: BulkRetryCommandBody) => api.retryTasks(to, body));
  const bulk = useCreateBulkRetry(slug);
  const cancel = useIssue(slug, (to, body: TaskCommandBody) => api.cancelTask(to, body));
  const { made, isBusy, failure, isDone, run } = useInTurn();
  const plan = planOf(rows, act);
  const engines = plan.engines.map((one) => ({
    ...one,
    able: ableAgents(agents, one.engine, act === "retry" ? "bulk_retry" : "cancel_task"),
  }));
  const doable = engines.filter(({ able }) => able.reason === null);
  const tasks = doable.reduce((sum, one) => sum + one.rows.length, 0);
  const many = `${count(tasks)} ${tasks === 1 ? "task" : "tasks"}`;
  const verb = act === "retry" ? "Retry" : "Cancel";
  const reason =
    engines.length === 0
      ? act === "retry"
        ? "None of them has ended yet"
        : "All of them have ended"
      : tasks === 0
        ? (engines[0]?.able.reason ?? null)
        : act === "cancel" && tasks > maximumCancels
          ? `At most ${count(maximumCancels)} at a time`
          : null;

  const send = async () => {
    if ((await run(orders())) && act === "retry") onDone();
  };
  const orders = (): (() => Promise<unknown>)[] =>
    doable.flatMap(({ engine, rows: own, able }) => {
      const agentId = able.agents[0]?.id ?? "";
      if (act === "retry") {
        return retryOrders({ engine, rows: own }).map(({ taskIds, bulkState }) => () => {
          const words = `Retry ${count(taskIds.length)} ${taskIds.length === 1 ? "task" : "tasks"} of ${printable(engine)}`;
          const filter = { engine, task_ids: taskIds };
          const max = taskIds.length;
          return bulkState === null
            ? retry.mutateAsync({ body: { agent_id: agentId, filter, max }, told: { words } })
            : bulk.mutateAsync({ body: { filter: { ...filter, state: bulkState }, max }, words });
        });
      }
      return own.map((row) => () => {
        const words = `Cancel ${nameText(row.name)}`;
        const told = own.length <= 5 ? { words, task: { engine, taskId: row.task_id } } : null;
        return cancel.mutateAsync({ body: { agent_id: agentId, engine, task_id: row.task_id }, told });
      });
    });
  // The bar that it stands in goes with the ticks.
  const leave = isDone ? onDone : onClose;

  return (
    <Dialog title={`${verb} ${many}`} onClose={leave}>
      <p>
        {act === "retry"
          ? "Each engine runs its tasks again with the inputs that it kept."
          : "Each engine is asked to stop its tasks; what they have done by then stays done."}
      </p>
      <ul className={dialogList}>
        {engines.map(({ engine, rows: own, able }) => (
          <li key={engine}>
            {count(own.length)} of {printable(engine)}
            {able.reason !== null
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
      {act === "cancel" && made > 0 ? (
        <p role="status">
          {count(made)} of {count(tasks)} asked for.{" "}
          <AppLink href={paths.commands(slug) + stringifySearch({ action: "cancel_task" })}>See how they end</AppLink>
        </p>
      ) : null}
      {failure ? (
        <Refusal>
          {made === 0 ? "Nothing was asked for." : "The rest was not asked for."} {refusalWords(failure)}
        </Refusal>
      ) : null}
      <div className={dialogFoot}>
        <button type="button" className={`${controls.btn} ${controls.big}`} onClick={leave}>
          {isDone ? "Close" : "Leave them"}
        </button>
        {isDone ? null : (
          <ActButton
            isDanger={act === "cancel"}
            error={failure}
            isBusy={isBusy}
            reason={reason}
            onAct={() => void send()}
          >
            {verb} {many}
          </ActButton>
        )}
      </div>
    </Dialog>
  );
}
