export type Priority = "critical" | "high" | "normal" | "low";

/** BullMQ runs smaller numbers first. The first row whose `upTo` is not below the number decides; no row: low. */
export type PriorityTable = readonly { readonly upTo: number; readonly priority: Priority }[];

/** 0 means that the job has no priority. */
export const defaultPriorityTable: PriorityTable = [
  { upTo: 0, priority: "normal" },
  { upTo: 1, priority: "critical" },
  { upTo: 10, priority: "high" },
  { upTo: 100, priority: "normal" },
];

export function priorityOf(bullmqPriority: number, table: PriorityTable): Priority {
  return table.find((row) => bullmqPriority <= row.upTo)?.priority ?? "low";
}
