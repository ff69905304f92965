import { type CeleryOptions, noteZone, readInputs } from "./celery-entry.ts";
import { readCelerySchedule } from "./celery-schedule.ts";
import {
  type Conversion,
  type ConversionInProgress,
  isObject,
  noteLeftOut,
  readJson,
  type ScheduleDraft,
  startConversion,
  UnsupportedEntry,
} from "./conversion.ts";
import { readDjangoDump } from "./django-celery-beat.ts";

/**
 * Reads the schedules of Celery beat: `beat_schedule` as a JSON object (or in one, next to `timezone`), or the list that `manage.py dumpdata
 * django_celery_beat` prints.
 *
 * @throws CliError `failed` for another document
 */
export function readCeleryBeat(text: string, options: CeleryOptions, now: number): Conversion {
  const document = readJson(text);
  const conversion = startConversion(now);
  if (Array.isArray(document)) readDjangoDump(document, options, conversion, now);
  else readBeatSchedule(document, options, conversion);
  return conversion.done();
}

function readBeatSchedule(document: unknown, options: CeleryOptions, conversion: ConversionInProgress): void {
  const inner = isObject(document) ? (document.beat_schedule ?? document.CELERY_BEAT_SCHEDULE) : undefined;
  const entries = isObject(inner) ? inner : document;
  if (!isObject(entries)) {
    conversion.refuse("the input", "it is neither an object of entries nor a list of dumpdata");
    return;
  }
  const outer = inner === undefined ? undefined : (document as Readonly<Record<string, unknown>>).timezone;
  const timezone = options.timezone ?? (typeof outer === "string" ? outer : undefined);
  for (const [name, entry] of Object.entries(entries))
    conversion.entry(name, () => readEntry(name, entry, { ...options, timezone }, conversion));
}

const knownFields = new Set(["name", "task", "schedule", "args", "kwargs", "options", "enabled", "relative"]);

function readEntry(
  name: string,
  entry: unknown,
  given: CeleryOptions,
  conversion: ConversionInProgress,
): ScheduleDraft {
  if (!isObject(entry)) throw new UnsupportedEntry("it is not an object");
  const { task, schedule, args = [], kwargs = {}, options = {}, enabled } = entry;
  if (typeof task !== "string") throw new UnsupportedEntry("it has no task");
  if (!isObject(options)) throw new UnsupportedEntry("its options are not an object");
  const { note, timezone, ...slots } = readCelerySchedule(schedule);
  const queue = queueOf(options.queue) ?? given.queue;
  const inputs = readInputs(args, kwargs);
  if (note !== undefined) conversion.note(name, note);
  noteZone(conversion, name, { kind: slots.kind, timezone: timezone ?? given.timezone });
  const others = Object.keys(entry).filter((field) => !knownFields.has(field));
  const dropped = Object.keys(options).filter((option) => option !== "queue");
  noteLeftOut(conversion, name, [...others, ...dropped]);
  return {
    name,
    engine: given.engine,
    ...slots,
    timezone: timezone ?? given.timezone ?? "UTC",
    task_name: task,
    ...(queue !== undefined && { queue }),
    ...inputs,
    ...(typeof enabled === "boolean" && { is_enabled: enabled }),
  };
}

/** The name of a queue, also in `{"name": "emails"}`. */
function queueOf(given: unknown): string | undefined {
  const name = isObject(given) ? given.name : given;
  if (name === undefined || name === null || name === "") return undefined;
  if (typeof name !== "string") throw new UnsupportedEntry("its queue is not a text");
  return name;
}
