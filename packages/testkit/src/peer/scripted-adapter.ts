import type { AdapterContext, AdapterSnapshot, CommandExecutor, EngineAdapter } from "@svc/agent";
import type { EventRecord } from "@svc/protocol";

export interface ScriptedAdapter extends EngineAdapter {
  /** The context that the agent passed at start. @throws Error before that. */
  readonly context: AdapterContext;
  /** Emits `count` events with task ids that continue over calls: `task-0`, `task-1`, … */
  emitTasks(count: number, data?: Record<string, unknown>): void;
  /** Replaces the result of `snapshot`. */
  answerSnapshot(snapshot: () => Promise<AdapterSnapshot>): void;
  /** Replaces `execute`; until then, commands fail. */
  answerCommands(execute: CommandExecutor): void;
}

/** An adapter without an engine, whose events come from a test. */
export function createScriptedAdapter(name = "scripted", capabilities: readonly string[] = []): ScriptedAdapter {
  let given: AdapterContext | undefined;
  let next = 0;
  let snapshot = (): Promise<AdapterSnapshot> => Promise.resolve({ queue_depths: { default: next } });
  let execute: CommandExecutor = () => Promise.reject(new Error("nothing is scripted"));
  const context = (): AdapterContext => {
    if (given === undefined) throw new Error("the adapter has not been started");
    return given;
  };
  return {
    name,
    capabilities: () => capabilities,
    start(started) {
      given = started;
      return Promise.resolve();
    },
    stop: () => Promise.resolve(),
    snapshot: () => snapshot(),
    execute: (command) => execute(command),
    get context() {
      return context();
    },
    emitTasks(count, data = {}) {
      const events = Array.from({ length: count }, () => taskEvent(name, next++, data));
      context().sink.emit(events, { key: "position", value: String(next) });
    },
    answerSnapshot(replacement) {
      snapshot = replacement;
    },
    answerCommands(replacement) {
      execute = replacement;
    },
  };
}

function taskEvent(engine: string, index: number, data: Record<string, unknown>): EventRecord {
  return { kind: "task.sent", engine, task_id: `task-${index}`, data: { queue: "default", ...data } };
}
