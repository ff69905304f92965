import type { Task } from "@svc/client";
import { useAble } from "../requests/use-act.ts";

export const endedStates: readonly string[] = ["success", "failure", "revoked", "rejected"];

interface Judged {
  engine: string;
  /** Undefined while it is not read, null where there is no such task. */
  state: Task["state"] | null | undefined;
}

/** Why a task cannot be retried or cancelled; null where it can. */
export function useTaskReasons(slug: string, { engine, state }: Judged): Record<"retry" | "cancel", string | null> {
  const retry = useAble(slug, { engine, capability: "retry_task" }).reason;
  const cancel = useAble(slug, { engine, capability: "cancel_task" }).reason;
  if (!state) {
    const reason = state === null ? "The task is not here" : "The task was not read yet";
    return { retry: retry ?? reason, cancel: cancel ?? reason };
  }
  const hasEnded = endedStates.includes(state);
  return {
    retry: retry ?? (hasEnded || state === "unknown" ? null : "It has not ended yet"),
    cancel: cancel ?? (hasEnded ? "It has ended already" : null),
  };
}
