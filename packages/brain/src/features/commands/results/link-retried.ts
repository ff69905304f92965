import { parseJson, storableText, taskIdCharacters } from "@svc/protocol";
import type { TaskLinkRow } from "../../../schema/tables/index.ts";
import { recordLinks } from "../../tasks/index.ts";
import type { ReportedResult, ResultHandler } from "./report.ts";

/** Actions whose result may name a task that was made for another one. */
export const retryingActions = ["retry_task", "requeue_dead_letter", "bulk_retry"] as const;

/** Notes which new task stands for which old one, when an engine retries by making a new task (spec part 3, section 4.3). */
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

/** Old ids are those of the command: an agent links nothing that it was not asked to retry. */
function pairsOf(
  parameters: Record<string, unknown>,
  result: Readonly<Record<string, unknown>>,
): { task_id: string; new_task_id: unknown }[] {
  if (typeof parameters.task_id === "string") {
    return [{ task_id: parameters.task_id, new_task_id: result.new_task_id }];
  }
  const asked = new Set((parameters.filter as { task_ids?: unknown[] } | undefined)?.task_ids ?? []);
  const results = Array.isArray(result.results) ? (result.results as unknown[]) : [];
  return results.flatMap((each) => {
    const { task_id, new_task_id } = (each ?? {}) as Record<string, unknown>;
    return typeof task_id === "string" && asked.has(task_id) ? [{ task_id, new_task_id }] : [];
  });
}
