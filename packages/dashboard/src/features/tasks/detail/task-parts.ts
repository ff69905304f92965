import type { Task } from "@svc/client";
import type { TaskDetail } from "./use-task-detail.ts";

export type PartId = "failure" | "timeline" | "attempts" | "input" | "family" | "events";

export interface Part {
  id: PartId;
  label: string;
  count: number | null;
}

/** The parts of one task in reading order. A failing task opens on its failure. */
export function partsOf(
  task: Task,
  detail: Pick<TaskDetail, "attempts" | "events"> & { treeQuery: { data?: { node_count: number } | undefined } },
): Part[] {
  const parts: Part[] = [
    { id: "timeline", label: "Timeline", count: null },
    { id: "attempts", label: "Attempts", count: detail.attempts.length },
    { id: "input", label: "Input and result", count: null },
    { id: "family", label: "Family", count: detail.treeQuery.data?.node_count ?? null },
    { id: "events", label: "Events", count: detail.events.length },
  ];
  return task.exception || task.traceback ? [{ id: "failure", label: "Failure", count: null }, ...parts] : parts;
}
