import { parseTaskQuery, printTaskQuery, printTerm, type TextTest } from "@svc/client/task-query";
import { isUuid, redactionMarker } from "@svc/protocol";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { BrainDatabase } from "../../schema/tables/index.ts";
import { taskValues, textAfter } from "../tasks/index.ts";
import type { Masking } from "./mask.ts";
import { idsOfEngine, namesIn, taskIdsBetween, tasksByRow } from "./reads.ts";

export type NameKind = "name" | "queue" | "worker";

/** Maximum names of a project that are compared with a masked name. */
const maxNames = 5_000;
/** Maximum task ids with the same prefix that are compared with a masked id. */
const maxTaskIds = 2_000;
/** Maximum masked task ids in one request. */
const maxMaskedIds = 50;

export const isMasked = (text: string): boolean => text.includes(redactionMarker);

/** Resolves masked names and ids, and the row ids of tasks, to the stored names and the engine's ids. */
export function createResolver({ database, masking }: { database: BrainDatabase; masking: Masking }) {
  /**
   * The stored names that are shown as this one: those of the engine's queues or workers or, when there are none, those of the project.
   * The text itself may be one of them, because older versions stored the marker in names.
   *
   * @throws ApiError `conflict` when there are too many names to compare.
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
    bounded(await namesIn(database, `${kind}s`, { projectId, engine }, maxNames + 1), kind);

  const ofTasks = (projectId: string, kind: NameKind): Promise<string[]> =>
    taskValues(database, projectId, kind === "worker" ? "worker_name" : kind, maxNames + 1);

  function bounded(names: string[], kind: NameKind): string[] {
    if (names.length > maxNames) throw ambiguous(kind);
    return names;
  }

  /**
   * The stored name that is shown as this one; the text itself when there is none.
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

  /** The engine's id of the task whose id is shown as this one. When it is ambiguous, clients use the row id. */
  async function taskShownAs(projectId: string, engine: string, shown: string): Promise<string> {
    const from = shown.slice(0, shown.indexOf(redactionMarker));
    const range = { from, below: textAfter(from) };
    const ids = await taskIdsBetween(database, { projectId, engine }, range, maxTaskIds + 1);
    if (ids.length > maxTaskIds) throw ambiguous("task_id");
    return onlyOne(
      ids.filter((id) => masking.name(id) === shown),
      shown,
      "task_id",
    );
  }

  return {
    nameShownAs,
    namesShownAs,

    /** The engine's ids of tasks, in the given order. Unknown ids stay as they are. */
    async taskIds(projectId: string, engine: string | null, given: readonly string[]): Promise<string[]> {
      const rowIds = given.filter((id) => isUuid(id)).map((id) => id.toLowerCase());
      const byRow = rowIds.length === 0 ? [] : await tasksByRow(database, { projectId, engine, rowIds });
      const found = new Map(byRow.map((row) => [row.id, row]));
      if (found.size > 0) {
        const engines = [...new Set(byRow.map((row) => row.engine))];
        // The engine's own id takes precedence over a row id.
        const own = await idsOfEngine(database, { projectId, engines, taskIds: given });
        for (const { task_id } of own) found.delete(task_id.toLowerCase());
      }
      const masked = engine === null ? [] : [...new Set(given.filter(isMasked))];
      if (masked.length > maxMaskedIds) throw ambiguous("task_id");
      const meant = new Map<string, string>();
      for (const id of masked) meant.set(id, await taskShownAs(projectId, engine ?? "", id));
      return given.map((id) => meant.get(id) ?? found.get(id.toLowerCase())?.task_id ?? id);
    },

    /** A task query in which each masked name is replaced by all names that are shown that way. */
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

/** Adds a filter for the names to a task query. An invalid query stays as it is and is refused where it is parsed. */
export function withNames(query: string, kind: NameKind, names: readonly string[]): string {
  if (parseTaskQuery(query).faults.length > 0) return query;
  const term = printTerm({ kind: "label", field: kind, tests: testsOf(names), isNegated: false });
  return readable(`${query} ${term}`.trim(), kind);
}

/** @throws ApiError `conflict` when the names make the query too large. */
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
        ? "this masked id may match several tasks; use the task's row id instead"
        : "this masked name may match several names; filter by q or by engine",
  });
