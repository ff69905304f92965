import type { Task } from "@svc/client";
import { count } from "../../../ui/time/format.ts";
import type { TaskDetail } from "./use-task-detail.ts";

export type PartId = "failure" | "timeline" | "attempts" | "input" | "family" | "events" | "commands";

export interface Part {
  id: PartId;
  label: string;
  /** A text where more may exist than was counted. */
  count: string | null;
}

/** The parts of one task in reading order. */
export function partsOf(
  task: Task,
  detail: Pick<TaskDetail, "attempts" | "events"> & {
    treeQuery: { data?: { node_count: number; truncated: boolean } | undefined };
    eventsQuery: { data?: { next_cursor: string | null } | undefined };
  },
): Part[] {
  const tree = detail.treeQuery.data;
  const hasMoreEvents = Boolean(detail.eventsQuery.data?.next_cursor);
  const counted = (number: number, isCut: boolean) => `${count(number)}${isCut ? "+" : ""}`;
  const hasFailed = Boolean(task.exception || task.traceback);
  return [
    { id: "timeline", label: "Timeline", count: null },
    { id: "input", label: "Input and result", count: null },
    ...(hasFailed ? [{ id: "failure", label: "Failure", count: null } as const] : []),
    { id: "attempts", label: "Attempts", count: counted(detail.attempts.length, hasMoreEvents) },
    { id: "family", label: "Family", count: tree ? counted(tree.node_count, tree.truncated) : null },
    { id: "events", label: "Events", count: counted(detail.events.length, hasMoreEvents) },
    // They are looked for when somebody asks.
    { id: "commands", label: "Commands", count: null },
  ];
}

/** What is shown while nothing else was asked for: why it failed, when it did. */
export function openingPart(parts: readonly Part[]): Part | undefined {
  return parts.find((part) => part.id === "failure") ?? parts[0];
}
