import { waitFor } from "@svc/testkit";
import type { TestBrain } from "@svc/testkit/brain";
import { createScriptedAdapter, type ScriptedAdapter } from "@svc/testkit/peer";
import { fleetSnapshot } from "./fleet.ts";
import { report } from "./task-traffic.ts";

export const actions = [
  "retry_task",
  "cancel_task",
  "bulk_retry",
  "purge_queue",
  "requeue_dead_letter",
  "restart_worker",
  "pool_grow",
  "pool_shrink",
  "add_consumer",
  "cancel_consumer",
  "rate_limit",
] as const;

type Executor = Parameters<ScriptedAdapter["answerCommands"]>[0];
type Command = Parameters<Executor>[0];
export type CommandOutcome = Awaited<ReturnType<Executor>>;

export interface CommandAgent {
  adapter: ScriptedAdapter;
  agentId: string;
  /** Every command that reached the agent, in order. */
  got: Command[];
  /** The outcome of the next commands; by default they succeed. With a promise they wait for it. */
  answer: (command: Command) => CommandOutcome | Promise<CommandOutcome>;
}

/** An agent with scripted command outcomes, a failed, a waiting and a running task, two workers and four queues. */
export async function connectCommandAgent(
  brain: TestBrain,
  tokens: readonly string[] = [...actions, "retry_by_reference_v1"],
): Promise<CommandAgent> {
  const adapter = createScriptedAdapter("bullmq", tokens);
  adapter.answerSnapshot(async () => fleetSnapshot());
  const made: CommandAgent = { adapter, agentId: "", got: [], answer: () => ({ status: "success" }) };
  adapter.answerCommands(async (command) => {
    made.got.push(command);
    return made.answer(command);
  });
  const connected = await brain.connectAgent({
    engines: [adapter],
    heartbeatSeconds: 1,
  });
  made.agentId = connected.minted.agentId;
  const charge = {
    task_name: "billing.charge",
    queue: "billing",
    args: [{ order: 88213 }],
    kwargs: { currency: "EUR" },
  };
  report({ adapter }, [
    { kind: "task.sent", taskId: "bad-1", ago: 80, data: charge },
    { kind: "task.started", taskId: "bad-1", ago: 78, data: { worker: "billing-1" } },
    { kind: "task.failed", taskId: "bad-1", ago: 50, data: { exception: "PaymentError: upstream 503" } },
    { kind: "task.sent", taskId: "bad-2", ago: 70, data: { ...charge, args: [{ order: 2, access_token: "x" }] } },
    { kind: "task.failed", taskId: "bad-2", ago: 40, data: { exception: "PaymentError: upstream 503" } },
    { kind: "task.sent", taskId: "run-1", ago: 30, data: { task_name: "emails.send", queue: "emails" } },
    { kind: "task.started", taskId: "run-1", ago: 29, data: { worker: "mailer-1" } },
    { kind: "task.sent", taskId: "wait-1", ago: 5, data: { task_name: "search.reindex", queue: "search-bulk" } },
  ]);
  const at = `/projects/${brain.project.slug}`;
  await waitFor(async () => {
    await brain.flushNotes();
    const [queues, workers, tasks] = await Promise.all(
      ["queues", "workers", "tasks"].map((list) => brain.as.root.get(`${at}/${list}`)),
    );
    const known = (queues?.body.items ?? []).filter((one: { depth_reported_at: unknown }) => one.depth_reported_at);
    return known.length === 4 && workers?.body.items.length === 2 && tasks?.body.items.length === 4;
  });
  return made;
}

/** A promise that the test resolves. */
export function held<Value>(): { promise: Promise<Value>; fulfil: (value: Value) => void } {
  const { promise, resolve } = Promise.withResolvers<Value>();
  return { promise, fulfil: resolve };
}
