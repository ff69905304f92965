import { parseTaskQuery, printTaskQuery, printTerm, type TextTest } from "@svc/client/task-query";
import { isUuid, redactionMarker } from "@svc/protocol";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { taskValues, textAfter } from "../tasks/index.ts";
import type { Masking } from "./mask.ts";
import { idsOfEngine, namesIn, taskIdsBetween, tasksByRow } from "./reads.ts";

export type NameKind = "name" | "queue" | "worker";

/** Names of a project that are compared with a masked one. */
const mostNames = 5_000;
/** Task ids that begin like a masked one and are compared with it. */
const mostTaskIds = 2_000;
/** Masked task ids that one request may name. */
const mostMaskedIds = 50;

export const isMasked = (text: string): boolean => text.includes(redactionMarker);

/** Finds what a client means who saw names and ids of a project only masked, or who gives the id of a task's row. */
export function createResolver({ database, masking }: { database: BrainDatabase; masking: Masking }) {
  /**
   * The names that are shown as this one: those of an engine's own queues or workers and, when there are none, those of the project.
   * The text may itself be one of them: older versions stored the marker in names.
   *
   * @throws ApiError `conflict` when there are more names than are compared.
   */
  async function namesShownAs(
    projectId: string,
    kind: NameKind,
    shown: string,
    engine: string | null = null,
  ): Promise<string[]> {
    const mask = kind === "worker" ? masking.worker : masking.name;
    const shownSo = (names: readonly string[]) => [...new Set(names)].filter((name) => mask(name) === shown);
    const own = engine === null || kind === "name" ? [] : shownSo(await listed(projectId, kind, engine));
    if (own.length > 0) return own;
    const ofTable = kind === "name" ? [] : await listed(projectId, kind, null);
    return shownSo([...ofTable, ...bounded(await ofTasks(projectId, kind), kind)]);
  }

  const listed = async (projectId: string, kind: "queue" | "worker", engine: string | null): Promise<string[]> =>
    bounded(await namesIn(database, `${kind}s`, { projectId, engine }, mostNames + 1), kind);

  const ofTasks = (projectId: string, kind: NameKind): Promise<string[]> =>
    taskValues(database, projectId, kind === "worker" ? "worker_name" : kind, mostNames + 1);

  function bounded(names: string[], kind: NameKind): string[] {
    if (names.length > mostNames) throw ambiguous(kind);
    return names;
  }

  /**
   * The one name that is shown as this one; the text itself when there is none.
   *
   * @throws ApiError `conflict` when there are several.
   */
  async function nameShownAs(
    projectId: string,
    kind: NameKind,
    shown: string,
    engine: string | null = null,
  ): Promise<string> {
    if (!isMasked(shown)) return shown;
    return onlyOne(await namesShownAs(projectId, kind, shown, engine), shown, kind);
  }

  /** The engine's id of the task whose id is shown as this one. Its row's id finds it when this one does not. */
  async function taskShownAs(projectId: string, engine: string, shown: string): Promise<string> {
    const from = shown.slice(0, shown.indexOf(redactionMarker));
    const range = { from, below: textAfter(from) };
    const ids = await taskIdsBetween(database, { projectId, engine }, range, mostTaskIds + 1);
    if (ids.length > mostTaskIds) throw ambiguous("task_id");
    return onlyOne(
      ids.filter((id) => masking.name(id) === shown),
      shown,
      "task_id",
    );
  }

  return {
    nameShownAs,
    namesShownAs,

    /** The engine's ids of tasks, in the order of the given ones. Ids that name nothing stay as they are. */
    async taskIds(projectId: string, engine: string | null, given: readonly string[]): Promise<string[]> {
      const rowIds = given.filter((id) => isUuid(id)).map((id) => id.toLowerCase());
      const byRow = rowIds.length === 0 ? [] : await tasksByRow(database, { projectId, engine, rowIds });
      const found = new Map(byRow.map((row) => [row.id, row]));
      if (found.size > 0) {
        const engines = [...new Set(byRow.map((row) => row.engine))];
        // What the engine calls a task comes before what the service calls it.
        const own = await idsOfEngine(database, { projectId, engines, taskIds: given });
        for (const { task_id } of own) found.delete(task_id.toLowerCase());
      }
      const masked = engine === null ? [] : [...new Set(given.filter(isMasked))];
      if (masked.length > mostMaskedIds) throw ambiguous("task_id");
      const meant = new Map<string, string>();
      for (const id of masked) meant.set(id, await taskShownAs(projectId, engine ?? "", id));
      return given.map((id) => meant.get(id) ?? found.get(id.toLowerCase())?.task_id ?? id);
    },

    /** A query of the task list with masked names replaced by all names that are shown so. */
    async query(projectId: string, text: string): Promise<string> {
      const { query, faults } = parseTaskQuery(text);
      if (faults.length > 0) return text;
      const terms = [];
      for (const term of query) {
        if (term.kind !== "label" || !isNameKind(term.field)) {
          terms.push(term);
          continue;
        }
        const tests: TextTest[] = [];
        for (const test of term.tests) {
          tests.push(test);
          if (test.kind !== "is" || !isMasked(test.text)) continue;
          const names = await namesShownAs(projectId, term.field, test.text);
          tests.push(...testsOf(names.filter((name) => name !== test.text)));
        }
        terms.push({ ...term, tests });
      }
      return readable(printTaskQuery(terms), "q");
    },
  };
}

/** A query of the task list that also asks for one of the names. A query with faults stays as it is and is refused where it is read. */
export function withNames(query: string, kind: NameKind, names: readonly string[]): string {
  if (parseTaskQuery(query).faults.length > 0) return query;
  const term = printTerm({ kind: "label", field: kind, tests: testsOf(names), isNegated: false });
  return readable(`${query} ${term}`.trim(), kind);
}

/** @throws ApiError `conflict` when the names make the query larger than one may be. */
function readable(query: string, member: string): string {
  if (parseTaskQuery(query).faults.length > 0) throw ambiguous(member);
  return query;
}

const testsOf = (names: readonly string[]): TextTest[] => names.map((text) => ({ kind: "is", text }));

export type Resolver = ReturnType<typeof createResolver>;

const isNameKind = (field: string): field is NameKind => field === "name" || field === "queue" || field === "worker";

function onlyOne(found: readonly string[], shown: string, member: string): string {
  if (found.length > 1) throw ambiguous(member);
  return found[0] ?? shown;
}

const ambiguous = (member: string): ApiError =>
  new ApiError("conflict", {
    reason: "ambiguous_name",
    member,
    hint:
      member === "task_id"
        ? "several tasks may be shown with this id; use the id of the task's row instead"
        : "several names may be shown like this one; filter by q, or by engine",
  });
