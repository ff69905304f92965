import type { AdapterContext, EngineAdapter } from "@svc/agent";
import type { EventRecord } from "@svc/protocol";
import { waitFor } from "@svc/testkit";

/** Replaces the agent: keeps what the agent's buffer would keep, across restarts of the adapter. */
export interface RecordingAgent {
  readonly context: AdapterContext;
  /** About tasks and workers. */
  readonly events: EventRecord[];
  readonly scheduleEvents: EventRecord[];
  readonly losses: { count: number; reason: string }[];
  /** Message and fields. */
  readonly warnings: string[];
  readonly cursors: Map<string, string>;
  /** False while the brain is unreachable: emitted events stay in the buffer. */
  isDelivering: boolean;
  /** Events of one task, in the order they were emitted. */
  of(taskId: string): readonly EventRecord[];
  kindsOf(taskId: string): readonly string[];
  dataOf(taskId: string, kind: string): Readonly<Record<string, unknown>>;
  /** Waits for an event and resolves with its data. */
  seen(taskId: string, kind: string): Promise<Readonly<Record<string, unknown>>>;
  lostOf(reason: string): number;
  /** Starts an adapter with this agent; it is stopped by `stopAll`. */
  run(adapter: EngineAdapter): Promise<EngineAdapter>;
  stopAll(): Promise<void>;
}

/** Instances with the same `destination` are processes of one agent. */
export function recordingAgent(destination = "test"): RecordingAgent {
  const events: EventRecord[] = [];
  const scheduleEvents: EventRecord[] = [];
  const losses: { count: number; reason: string }[] = [];
  const warnings: string[] = [];
  const cursors = new Map<string, string>();
  const running: EngineAdapter[] = [];
  const warn = (message: string, fields?: object) => void warnings.push(`${message} ${JSON.stringify(fields ?? {})}`);
  const context: AdapterContext = {
    destination,
    sink: {
      emit(batch, cursor) {
        for (const event of batch) (event.kind.startsWith("schedule.") ? scheduleEvents : events).push(event);
        if (cursor?.value === "") cursors.delete(cursor.key);
        else if (cursor) cursors.set(cursor.key, cursor.value);
      },
      lost: (count, reason) => void losses.push({ count, reason }),
      ready: () => Promise.resolve(),
      follow: () => () => agent.isDelivering,
    },
    cursors: { get: (key) => cursors.get(key) },
    log: { debug() {}, info() {}, warn, error() {} },
  };
  const of = (taskId: string) => events.filter((event) => event.task_id === taskId);
  const agent: RecordingAgent = {
    context,
    isDelivering: true,
    events,
    scheduleEvents,
    losses,
    warnings,
    cursors,
    of,
    kindsOf: (taskId) => of(taskId).map((event) => event.kind.replace("task.", "")),
    dataOf(taskId, kind) {
      const found = of(taskId).find((event) => event.kind === kind);
      if (!found) throw new Error(`no ${kind} of ${taskId} among ${events.map((event) => event.task_id).join(" ")}`);
      return found.data;
    },
    async seen(taskId, kind) {
      const event = await waitFor(() => of(taskId).find((candidate) => candidate.kind === kind), {
        that: `${kind} of ${taskId}`,
      });
      return event.data;
    },
    lostOf: (reason) => losses.filter((loss) => loss.reason === reason).reduce((sum, loss) => sum + loss.count, 0),
    async run(adapter) {
      running.push(adapter);
      await adapter.start(context);
      return adapter;
    },
    async stopAll() {
      await Promise.all(running.splice(0).map((adapter) => adapter.stop()));
    },
  };
  return agent;
}
