import type { Task } from "@svc/client";
import { count } from "../../../ui/time/format.ts";
import type { TaskDetail } from "./use-task-detail.ts";

export type PartId = "failure" | "timeline" | "attempts" | "input" | "family" | "events";

export interface Part {
  id: PartId;
  label: string;
  /** With a plus sign if more may exist than were counted. */
  count: string | null;
}

/** The parts of a task's page in reading order, without those that would be empty or redundant. */
export function partsOf(
  task: Task,
  detail: Pick<TaskDetail, "attempts" | "events"> & {
    treeQuery: { data?: { node_count: number; truncated: boolean } | undefined; isError: boolean };
    eventsQuery: { data?: { next_cursor: string | null } | undefined };
  },
): Part[] {
  const { data: tree, isError } = detail.treeQuery;
  const hasMoreEvents = Boolean(detail.eventsQuery.data?.next_cursor);
  const counted = (number: number, isCut: boolean) => `${count(number)}${isCut ? "+" : ""}`;
  const hasFailed = Boolean(task.exception || task.traceback);
  const hasRetried = detail.attempts.length > 1 || hasMoreEvents;
  const hasFamily = tree ? tree.node_count > 1 || tree.truncated : isError;
  const parts: (Part | false)[] = [
    { id: "timeline", label: "Timeline", count: null },
    hasFailed && { id: "failure", label: "Failure", count: null },
    { id: "input", label: "Input and result", count: null },
    hasRetried && { id: "attempts", label: "Attempts", count: counted(detail.attempts.length, hasMoreEvents) },
    { id: "events", label: "Events", count: counted(detail.events.length, hasMoreEvents) },
    // Last, as on the page: the family loads after the other parts and must not move them.
    hasFamily && { id: "family", label: "Family", count: tree ? counted(tree.node_count, tree.truncated) : null },
  ];
  return parts.filter((part) => part !== false);
}

/** The default part: the failure, if the task failed. */
export function openingPart(parts: readonly Part[]): Part | undefined {
  return parts.find((part) => part.id === "failure") ?? parts[0];
}
