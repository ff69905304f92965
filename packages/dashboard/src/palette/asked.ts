import type { Command, Queue } from "@svc/client";
import type { ControlledWorker, WorkerAct } from "../features/actions/fleet/worker-acts.ts";
import type { TaskAct } from "../features/actions/tasks/TaskCommands.tsx";
import { overlay } from "../shell/overlay.ts";
import { createStore } from "../ui/store.ts";

/** What somebody wants to do, by the palette; its own form asks before anything is done. */
export type Asked =
  | { kind: "task"; act: TaskAct; engine: string; taskId: string }
  | { kind: "worker"; act: WorkerAct; worker: ControlledWorker }
  | { kind: "queue"; act: "purge" | "limit"; queue: Queue }
  | { kind: "issue"; fingerprint: string }
  | { kind: "command"; command: Command };

export const asked = createStore<Asked | null>(null);

export function ask(what: Asked): void {
  asked.set(what);
  overlay.set("asked");
}
