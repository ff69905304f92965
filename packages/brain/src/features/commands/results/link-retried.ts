import { parseJson, storableText, taskIdCharacters } from "@svc/protocol";
import type { TaskLinkRow } from "../../../schema/tables/index.ts";
import { recordLinks } from "../../tasks/index.ts";
import type { ReportedResult, ResultHandler } from "./report.ts";

/** Actions whose result may name a new task that replaces another. */
export const retryingActions = ["retry_task", "requeue_dead_letter", "bulk_retry"] as const;

/** Records which new task replaces which old one, for engines that retry by creating a new task. */
export const linkRetried: ResultHandler = async (tx, reported) => {
  if (reported.isLate || reported.status !== "completed") return;
  const links = linksOf(reported);
  if (links.length > 0) await recordLinks(tx, links);
};

function linksOf({ command, result }: ReportedResult): TaskLinkRow[] {
  const { engine } = command;
  if (engine === null) return [];
  const parameters = parseJson(command.payload) as Record<string, unknown>;
  const links = new Map<string, TaskLinkRow>();
  for (const { task_id: oldId, new_task_id: newId } of pairsOf(parameters, result)) {
    if (typeof newId !== "string" || newId === oldId || newId === "" || newId.length > taskIdCharacters) continue;
    const new_id = storableText(newId);
    links.set(new_id, {
      project_id: command.project_id,
      engine,
      new_id,
      old_id: oldId,
      linked_at: command.issued_at,
    });
  }
  return [...links.values()];
}

/** Only ids from the command are linked, so an agent cannot link tasks that it was not asked to retry. */
function pairsOf(
  parameters: Record<string, unknown>,
  result: Readonly<Record<string, unknown>>,
): { task_id: string; new_task_id: unknown }[] {
  if (typeof parameters.task_id === "string") {
    return [{ task_id: parameters.task_id, new_task_id: result.new_task_id }];
  }
  const requested = new Set((parameters.filter as { task_ids?: unknown[] } | undefined)?.task_ids ?? []);
  const results = Array.isArray(result.results) ? (result.results as unknown[]) : [];
  return results.flatMap((each) => {
    const { task_id, new_task_id } = (each ?? {}) as Record<string, unknown>;
    return typeof task_id === "string" && requested.has(task_id) ? [{ task_id, new_task_id }] : [];
  });
}
