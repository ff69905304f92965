import type { Command } from "@svc/client";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { errorsByField } from "../../../api/field-errors.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { count, nameText, printable } from "../../../ui/time/format.ts";
import { requiredAgent } from "../requests/AgentField.tsx";
import { CommandDialog } from "../requests/CommandDialog.tsx";
import type { Capability } from "../requests/eligible-agents.ts";
import { isOpen, useEligibleAgents, useFrozen, useIssue } from "../requests/use-act.ts";
import { PoolStepper } from "./PoolStepper.tsx";
import { maximumChange, readChange } from "./pool-change.ts";
import { rateErrorOf, rateHint } from "./rate-text.ts";
import type { ControlledWorker, WorkerAct } from "./worker-acts.ts";

interface WorkerDialogProps {
  slug: string;
  worker: ControlledWorker;
  act: WorkerAct;
  /** Prefills the task name of a rate limit. */
  taskName?: string;
  onClose: () => void;
}

/** The fields of every worker command. */
interface Base {
  agent_id: string;
  engine: string;
  worker_name: string;
}

interface CommandRequest {
  send: (slug: string, base: Base & { idempotency_key: string }) => Promise<Command>;
  /** Part of the key: the same command with other values is another request. */
  values: Record<string, unknown>;
  label: string;
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
  const step = readChange(delta);
  const eligibleNow = useEligibleAgents(slug, { engine, capability: capabilityOf(act, step) });
  const issue = useIssue<Base & { request: CommandRequest }>(slug, (to, { request, ...base }) =>
    request.send(to, base),
  );
  const eligibility = useFrozen(eligibleNow, isOpen(issue));
  const apiErrors = errorsByField(issue.error);
  const fieldErrors: Record<string, string | null> = {
    delta:
      act !== "pool" || (step !== 0 && Math.abs(step) <= maximumChange)
        ? null
        : "Enter a whole number from -100 to 100, not 0",
    queue: (act !== "add" && act !== "cancel") || queue.trim() !== "" ? null : "Enter a queue",
    task_name: act !== "rate" || taskName.trim() !== "" ? null : "Enter a task name",
    rate: act === "rate" ? rateErrorOf(rate) : null,
  };
  const errorOf = (field: string) => (isTried ? fieldErrors[field] : null) ?? apiErrors[field];

  const requests: Record<WorkerAct, () => CommandRequest> = {
    restart: () => ({ send: api.restartWorker, values: {}, label: `Restart ${name}` }),
    pool: () => ({
      send: (to, base) => api.resizePool(to, { ...base, delta: step }),
      values: { delta: step },
      label: `${step > 0 ? "Grow" : "Shrink"} the pool of ${name} by ${count(Math.abs(step))}`,
    }),
    add: () => ({
      send: (to, base) => api.addConsumer(to, { ...base, queue: queue.trim() }),
      values: { queue: queue.trim() },
      label: `Add ${nameText(queue.trim())} to ${name}`,
    }),
    cancel: () => ({
      send: (to, base) => api.cancelConsumer(to, { ...base, queue }),
      values: { queue },
      label: `Remove ${nameText(queue)} from ${name}`,
    }),
    rate: () => ({
      send: (to, base) => api.limitRate(to, { ...base, task_name: taskName.trim(), rate: rate.trim() }),
      values: { taskName: taskName.trim(), rate: rate.trim() },
      label: `Limit ${nameText(taskName.trim())} on ${name} to ${printable(rate.trim())}`,
    }),
  };
  const { agentId, reason } = requiredAgent(eligibility, chosen);
  const send = () => {
    setTried(true);
    if (agentId === undefined || Object.values(fieldErrors).some((error) => error !== null)) return;
    const request = requests[act]();
    const body = { agent_id: agentId, engine, worker_name: worker.name, request };
    issue.mutate({ body, entry: { label: request.label } }, { onSuccess: onClose });
  };

  return (
    <CommandDialog
      title={titles[act](name)}
      onClose={onClose}
      agent={{ agents: eligibility.agents, value: chosen, onChange: setChosen }}
      request={issue}
      reason={reason}
      form={{ error: isTried && Object.values(fieldErrors).some(Boolean) ? fieldErrors : null }}
      isDanger={act === "restart" || act === "cancel"}
      act={buttons[act]}
      onSend={send}
    >
      <p>{effects[act]}</p>
      {act === "pool" ? (
        <PoolStepper value={delta} current={worker.concurrency ?? null} error={errorOf("delta")} onChange={setDelta} />
      ) : null}
      {act === "add" || (act === "cancel" && worker.queues.length === 0) ? (
        <Field
          label="Queue"
          value={queue}
          spellCheck={false}
          error={errorOf("queue")}
          onChange={(event) => setQueue(event.currentTarget.value)}
        />
      ) : null}
      {act === "cancel" && worker.queues.length > 0 ? (
        <ChoiceField
          label="Queue"
          value={queue}
          options={worker.queues.map((one) => [one, nameText(one)])}
          error={errorOf("queue")}
          onChange={setQueue}
        />
      ) : null}
      {act === "rate" ? (
        <>
          <Field
            label="Task name"
            value={taskName}
            spellCheck={false}
            error={errorOf("task_name")}
            onChange={(event) => setTaskName(event.currentTarget.value)}
          />
          <Field
            label="Rate"
            value={rate}
            hint={rateHint}
            error={errorOf("rate")}
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

const buttons: Record<WorkerAct, string> = {
  restart: "Restart worker",
  pool: "Resize pool",
  add: "Add consumer",
  cancel: "Cancel consumer",
  rate: "Limit rate",
};

const effects: Record<WorkerAct, string> = {
  restart: "The worker stops and starts again. Its engine decides what happens to running tasks.",
  pool: "Changes how many tasks the worker runs at once, until it restarts.",
  add: "The worker also takes tasks from this queue, until it restarts.",
  cancel: "The worker stops taking tasks from this queue. Waiting tasks stay for other workers.",
  rate: "Limits how often this worker starts tasks with this name, until it restarts.",
};
