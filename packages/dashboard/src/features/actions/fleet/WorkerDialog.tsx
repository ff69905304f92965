import type { Command } from "@svc/client";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { faultsByField } from "../../../api/field-faults.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { count, nameText, printable } from "../../../ui/time/format.ts";
import { requiredAgent } from "../requests/AgentField.tsx";
import type { Capability } from "../requests/able.ts";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import { isOpen, useAble, useIssue, useKept } from "../requests/use-act.ts";
import { PoolStepper } from "./PoolStepper.tsx";
import { mostPlaces, readPlaces } from "./pool-places.ts";
import { rateFault, rateHint } from "./rate-text.ts";
import type { ControlledWorker, WorkerAct } from "./worker-acts.ts";

interface WorkerDialogProps {
  slug: string;
  worker: ControlledWorker;
  act: WorkerAct;
  /** Of the tasks whose rate is limited, where it is known. */
  taskName?: string;
  onClose: () => void;
}

/** What every control of a worker says: through which agent, and which worker. */
interface Base {
  agent_id: string;
  engine: string;
  worker_name: string;
}

interface Order {
  send: (slug: string, base: Base & { idempotency_key: string }) => Promise<Command>;
  /** What makes this request another one than that with other values. */
  values: Record<string, unknown>;
  words: string;
}

export function WorkerDialog({ slug, worker, act, taskName: knownName = "", onClose }: WorkerDialogProps) {
  const { engine } = worker;
  const name = nameText(worker.name);
  const [delta, setDelta] = useState("1");
  const [queue, setQueue] = useState(act === "cancel" ? (worker.queues[0] ?? "") : "");
  const [taskName, setTaskName] = useState(knownName);
  const [rate, setRate] = useState("");
  const [chosen, setChosen] = useState("");
  const [isTried, setTried] = useState(false);
  const step = readPlaces(delta);
  const ableNow = useAble(slug, { engine, capability: capabilityOf(act, step) });
  const issue = useIssue<Base & { order: Order }>(slug, (to, { order, ...base }) => order.send(to, base));
  const able = useKept(ableNow, isOpen(issue));
  const faults = faultsByField(issue.error);
  const ownFaults: Record<string, string | null> = {
    delta:
      act !== "pool" || (step !== 0 && Math.abs(step) <= mostPlaces) ? null : "A whole number from -100 to 100, not 0",
    queue: (act !== "add" && act !== "cancel") || queue.trim() !== "" ? null : "Which queue?",
    task_name: act !== "rate" || taskName.trim() !== "" ? null : "Which tasks?",
    rate: act === "rate" ? rateFault(rate) : null,
  };
  const faultOf = (field: string) => (isTried ? ownFaults[field] : null) ?? faults[field];

  const orders: Record<WorkerAct, () => Order> = {
    restart: () => ({ send: api.restartWorker, values: {}, words: `Restart ${name}` }),
    pool: () => ({
      send: (to, base) => api.resizePool(to, { ...base, delta: step }),
      values: { delta: step },
      words: `${step > 0 ? "Grow" : "Shrink"} the pool of ${name} by ${count(Math.abs(step))}`,
    }),
    add: () => ({
      send: (to, base) => api.addConsumer(to, { ...base, queue: queue.trim() }),
      values: { queue: queue.trim() },
      words: `Add ${nameText(queue.trim())} to ${name}`,
    }),
    cancel: () => ({
      send: (to, base) => api.cancelConsumer(to, { ...base, queue }),
      values: { queue },
      words: `Take ${nameText(queue)} from ${name}`,
    }),
    rate: () => ({
      send: (to, base) => api.limitRate(to, { ...base, task_name: taskName.trim(), rate: rate.trim() }),
      values: { taskName: taskName.trim(), rate: rate.trim() },
      words: `Limit ${nameText(taskName.trim())} on ${name} to ${printable(rate.trim())}`,
    }),
  };
  const { agentId, reason } = requiredAgent(able, chosen);
  const send = () => {
    setTried(true);
    if (agentId === undefined || Object.values(ownFaults).some((fault) => fault !== null)) return;
    const order = orders[act]();
    const body = { agent_id: agentId, engine, worker_name: worker.name, order };
    issue.mutate({ body, told: { words: order.words } }, { onSuccess: onClose });
  };

  return (
    <CommandDialog
      title={titles[act](name)}
      onClose={onClose}
      agent={{ agents: able.agents, value: chosen, onChange: setChosen }}
      request={issue}
      reason={reason}
      form={{ fault: isTried && Object.values(ownFaults).some(Boolean) ? ownFaults : null }}
      isDanger={act === "restart" || act === "cancel"}
      act={acts[act]}
      onSend={send}
    >
      <p>{says[act]}</p>
      {act === "pool" ? (
        <PoolStepper value={delta} present={worker.concurrency ?? null} error={faultOf("delta")} onChange={setDelta} />
      ) : null}
      {act === "add" || (act === "cancel" && worker.queues.length === 0) ? (
        <Field
          label="Queue"
          value={queue}
          spellCheck={false}
          error={faultOf("queue")}
          onChange={(event) => setQueue(event.currentTarget.value)}
        />
      ) : null}
      {act === "cancel" && worker.queues.length > 0 ? (
        <ChoiceField
          label="Queue"
          value={queue}
          options={worker.queues.map((one) => [one, nameText(one)])}
          error={faultOf("queue")}
          onChange={setQueue}
        />
      ) : null}
      {act === "rate" ? (
        <>
          <Field
            label="Task name"
            value={taskName}
            spellCheck={false}
            error={faultOf("task_name")}
            onChange={(event) => setTaskName(event.currentTarget.value)}
          />
          <Field
            label="Rate"
            value={rate}
            hint={rateHint}
            error={faultOf("rate")}
            onChange={(event) => setRate(event.currentTarget.value)}
          />
        </>
      ) : null}
    </CommandDialog>
  );
}

function capabilityOf(act: WorkerAct, step: number): Capability {
  switch (act) {
    case "restart":
      return "restart_worker";
    case "pool":
      return step < 0 ? "pool_shrink" : "pool_grow";
    case "add":
      return "add_consumer";
    case "cancel":
      return "cancel_consumer";
    case "rate":
      return "rate_limit_of_worker";
  }
}

const titles: Record<WorkerAct, (name: string) => string> = {
  restart: (name) => `Restart ${name}`,
  pool: (name) => `Resize pool of ${name}`,
  add: (name) => `Add consumer to ${name}`,
  cancel: (name) => `Cancel consumer of ${name}`,
  rate: (name) => `Limit rate on ${name}`,
};

const acts: Record<WorkerAct, string> = {
  restart: "Restart worker",
  pool: "Resize pool",
  add: "Add consumer",
  cancel: "Cancel consumer",
  rate: "Limit rate",
};

const says: Record<WorkerAct, string> = {
  restart: "The worker ends and starts again. What becomes of the tasks in its hands is up to its engine.",
  pool: "How many tasks it works on at once, until it starts again.",
  add: "The worker takes tasks of one more queue, until it starts again.",
  cancel: "The worker takes no more tasks of this queue. What waits there stays, for others that serve it.",
  rate: "How often this worker begins a task of this name, until it starts again.",
};
