import { storableText } from "@svc/protocol";
import { compileValidator } from "../../../platform/http/content/validation.ts";
import { ApiError, invalid } from "../../../platform/http/error-codes.ts";
import type { Db, ProjectRow, ScheduleRow } from "../../../schema/tables/index.ts";
import {
  columnsOf,
  type DefinedColumns,
  defaultColumns,
  digestOf,
  newRow,
  requireCadence,
} from "../definitions/definition.ts";
import { requireOwner } from "../rules.ts";
import { ScheduleCreate } from "../schemas.ts";
import { type Compared, namedSchedules, sourcedSchedules } from "./import-store.ts";
import type { ImportBody } from "./schemas.ts";

/** What an import does. Nothing in it depends on the order of the list, but for names that occur twice: the first is used. */
export interface ImportPlan {
  readonly inserted: readonly ScheduleRow[];
  readonly updated: readonly PlannedUpdate[];
  readonly unchanged: readonly Compared[];
  readonly deleted: readonly Compared[];
  /** Why entries are refused, by their index. */
  readonly errors: ReadonlyMap<number, string>;
}

export interface PlannedUpdate {
  readonly stored: Compared;
  readonly columns: Partial<DefinedColumns> & Pick<ScheduleRow, "source" | "definition_digest">;
}

export interface PlanContext {
  readonly projectId: string;
  readonly project: Pick<ProjectRow, "default_scheduler_owner" | "allowed_schedulers">;
  readonly now: Date;
  readonly newId: () => string;
}

const checkEntry = compileValidator({ schema: ScheduleCreate });
const errorCharacters = 500;

/** @throws ApiError `validation_error` for a missing or superfluous source_filter */
export function requireMode({ mode, source_filter: filter = null }: ImportBody): void {
  if ((mode === "replace_for_source") === (filter !== null)) return;
  const message = filter === null ? "is required for replace_for_source" : "is only for replace_for_source";
  throw invalid({ loc: ["body", "source_filter"], type: filter === null ? "missing" : "unexpected", message });
}

/** The stored schedules that an import is compared with. */
export async function comparedIds(db: Db, { schedules, source_filter: source }: ImportBody, projectId: string) {
  const named = await namedSchedules(db, projectId, namesOf(schedules));
  const sourced = source == null ? [] : await sourcedSchedules(db, projectId, source);
  return [...new Set([...named, ...sourced].map(({ id }) => id))];
}

/** Compares the entries with the stored schedules. */
export async function planImport(db: Db, body: ImportBody, context: PlanContext): Promise<ImportPlan> {
  const names = namesOf(body.schedules);
  const stored = new Map((await namedSchedules(db, context.projectId, names)).map((row) => [row.name, row]));
  const inserted: ScheduleRow[] = [];
  const updated: PlannedUpdate[] = [];
  const unchanged: Compared[] = [];
  const errors = new Map<number, string>();
  const used = new Set<string>();
  for (const [index, entry] of body.schedules.entries()) {
    try {
      const name = nameOf(entry);
      const planned = planEntry(entry, name === null ? undefined : stored.get(name), context);
      if (used.has(name as string))
        throw invalid({ loc: ["name"], type: "duplicate", message: "occurs twice in the list" });
      used.add(name as string);
      if (planned.kind === "insert") inserted.push(planned.row);
      else if (planned.kind === "update") updated.push(planned.update);
      else unchanged.push(planned.stored);
    } catch (error) {
      errors.set(index, errorText(error));
    }
  }
  // An entry that is refused keeps its schedule.
  const listed = new Set(names);
  const { source_filter: source = null } = body;
  const others = source === null ? [] : await sourcedSchedules(db, context.projectId, source);
  return { inserted, updated, unchanged, deleted: others.filter(({ name }) => !listed.has(name)), errors };
}

type Planned =
  | { readonly kind: "insert"; readonly row: ScheduleRow }
  | { readonly kind: "update"; readonly update: PlannedUpdate }
  | { readonly kind: "unchanged"; readonly stored: Compared };

function planEntry(entry: unknown, stored: Compared | undefined, context: PlanContext): Planned {
  const checked = checkEntry(entry);
  if ("error" in checked) throw checked.error;
  const given = { catch_up: "skip", source: "imported", ...(checked.value as ScheduleCreate) } as ScheduleCreate;
  requireOwner(given.scheduler, context.project);
  if (stored === undefined) {
    return { kind: "insert", row: newRow(given, { ...context, id: context.newId() }) };
  }
  const { scheduler: _scheduler, source = "imported", ...body } = given;
  if (body.source_hash != null && body.source_hash === stored.source_hash) return { kind: "unchanged", stored };
  const columns = { ...defaultColumns, ...columnsOf(body) } as DefinedColumns;
  const digest = digestOf(columns);
  if (digest === stored.definition_digest) return { kind: "unchanged", stored };
  const { is_enabled, late_start_seconds, long_run_seconds, ...defined } = columns;
  requireCadence({ ...defined, is_enabled: body.is_enabled ?? stored.is_enabled }, context.now);
  return {
    kind: "update",
    update: {
      stored,
      columns: {
        ...defined,
        ...(body.is_enabled !== undefined && { is_enabled }),
        ...(body.late_start_seconds !== undefined && { late_start_seconds }),
        ...(body.long_run_seconds !== undefined && { long_run_seconds }),
        source: storableText(source),
        definition_digest: digest,
      },
    },
  };
}

const namesOf = (entries: readonly unknown[]) => [...new Set(entries.flatMap((entry) => nameOf(entry) ?? []))];

function nameOf(entry: unknown): string | null {
  const name = (entry as { name?: unknown } | null)?.name;
  return typeof name === "string" ? storableText(name) : null;
}

/** `expression: an interval is …`. Errors of the schema contain no input. */
function errorText(error: unknown): string {
  const faults = faultsOf(error);
  if (faults === null) throw error;
  const [first] = faults;
  const place = first?.loc.filter((part) => part !== "body").join(".") ?? "";
  const text =
    first === undefined ? (error as Error).message : place === "" ? first.message : `${place}: ${first.message}`;
  return text.slice(0, errorCharacters);
}

type Fault = { readonly loc: readonly (string | number)[]; readonly message: string };

/** Null for an error that is no refusal. */
function faultsOf(error: unknown): readonly Fault[] | null {
  if (error instanceof ApiError) return (error.details.errors as Fault[] | undefined) ?? [];
  const { faults } = error as { faults?: readonly Fault[] };
  return faults ?? null;
}
