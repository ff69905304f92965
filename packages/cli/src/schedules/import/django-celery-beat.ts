import { parseExact } from "@svc/client";
import { type CeleryOptions, noteZone, readInputs } from "./celery-entry.ts";
import { type CelerySlots, clocked, crontab, every, solar } from "./celery-schedule.ts";
import {
  type ConversionInProgress,
  isObject,
  noteLeftOut,
  type ScheduleDraft,
  UnsupportedEntry,
} from "./conversion.ts";

type Fields = Readonly<Record<string, unknown>>;

const slotsOf: Readonly<Record<string, (fields: Fields) => CelerySlots>> = {
  crontab,
  interval: (fields) => every(fields.every, fields.period),
  solar: (fields) => solar(fields.event, fields.latitude, fields.longitude),
  clocked: (fields) => clocked(fields.clocked_time),
};

/** Adds the periodic tasks of a `manage.py dumpdata django_celery_beat`. */
export function readDjangoDump(
  rows: readonly unknown[],
  options: CeleryOptions,
  conversion: ConversionInProgress,
  now: number,
): void {
  const schedules = new Map<string, Fields>();
  const tasks: { at: string; fields: Fields }[] = [];
  for (const [index, row] of rows.entries()) {
    const at = `entry ${index + 1}`;
    if (!isObject(row) || typeof row.model !== "string" || !isObject(row.fields)) {
      conversion.refuse(at, "it is not a row of dumpdata with model and fields");
      continue;
    }
    const model = row.model.toLowerCase().replace("django_celery_beat.", "");
    if (model === "periodictask") tasks.push({ at, fields: row.fields });
    else if (model.endsWith("schedule")) schedules.set(`${model.slice(0, -"schedule".length)} ${row.pk}`, row.fields);
    else if (model !== "periodictasks")
      conversion.note(at, `rows of ${row.model.slice(0, 80)} are ignored`, { once: true });
  }
  for (const { at, fields } of tasks) {
    const where = typeof fields.name === "string" ? fields.name : at;
    conversion.entry(where, () => readTask(fields, where, { schedules, options, conversion, now }));
  }
}

interface Dump {
  readonly schedules: ReadonlyMap<string, Fields>;
  readonly options: CeleryOptions;
  readonly conversion: ConversionInProgress;
  readonly now: number;
}

const leftOut = ["exchange", "routing_key", "priority", "expire_seconds"];

function readTask(fields: Fields, at: string, { schedules, options, conversion, now }: Dump): ScheduleDraft {
  const { name, task, queue, enabled, start_time: start, expires } = fields;
  if (typeof name !== "string") throw new UnsupportedEntry("it has no name");
  if (typeof task !== "string") throw new UnsupportedEntry("it has no task");
  const kind = Object.keys(slotsOf).find((field) => fields[field] !== null && fields[field] !== undefined);
  const row = kind === undefined ? undefined : schedules.get(`${kind} ${fields[kind]}`);
  if (kind === undefined) throw new UnsupportedEntry("it has no schedule");
  if (row === undefined) throw new UnsupportedEntry(`its ${kind} schedule ${fields[kind]} is not in the dump`);
  if (fields.one_off === true && kind !== "clocked")
    throw new UnsupportedEntry("it runs only once (one_off). Create a clocked schedule instead");
  if (expires !== null && expires !== undefined)
    throw new UnsupportedEntry(`it expires at ${String(expires).slice(0, 40)}, and schedules of svc don't end`);
  if (typeof start === "string" && !(Date.parse(start) <= now))
    throw new UnsupportedEntry(`it starts at ${start.slice(0, 40)}, and schedules of svc start at once`);
  const { timezone, ...slots } = slotsOf[kind]!(row);
  noteZone(conversion, at, { kind: slots.kind, timezone: timezone ?? options.timezone });
  const given = leftOut.filter(
    (field) => fields[field] !== null && fields[field] !== undefined && fields[field] !== "",
  );
  noteLeftOut(conversion, at, [...given, ...(isEmptyJson(fields.headers) ? [] : ["headers"])]);
  const target = typeof queue === "string" && queue !== "" ? queue : options.queue;
  return {
    name,
    engine: options.engine,
    ...slots,
    timezone: timezone ?? options.timezone ?? "UTC",
    task_name: task,
    ...(target !== undefined && { queue: target }),
    ...readInputs(readJsonField(fields.args, "args"), readJsonField(fields.kwargs, "kwargs")),
    ...(typeof enabled === "boolean" && { is_enabled: enabled }),
  };
}

const isEmptyJson = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === "{}" ||
  (isObject(value) && Object.keys(value).length === 0);

/** django-celery-beat stores args and kwargs as JSON texts. */
function readJsonField(value: unknown, name: string): unknown {
  if (typeof value !== "string") return value;
  if (value.trim() === "") return undefined;
  try {
    return parseExact(value);
  } catch {
    throw new UnsupportedEntry(`its ${name} are not valid JSON`);
  }
}
