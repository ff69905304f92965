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

export interface BullmqOptions {
  readonly engine: string;
  /** For entries that name none. */
  readonly queue?: string | undefined;
  /** For patterns without `tz`. Undefined is UTC, with a note. */
  readonly timezone?: string | undefined;
}

/**
 * Reads job schedulers as `queue.getJobSchedulers()` returns them: a list for the queue of the options, or an object with a list for each queue.
 *
 * @throws CliError `failed` for another document
 */
export function readBullmq(text: string, options: BullmqOptions, now: number): Conversion {
  const document = readJson(text);
  const conversion = startConversion(now);
  if (Array.isArray(document)) readQueue(document, options, conversion, now);
  else if (isObject(document)) {
    for (const [queue, entries] of Object.entries(document)) {
      if (Array.isArray(entries)) readQueue(entries, { ...options, queue }, conversion, now);
      else conversion.refuse(queue, "it is not a list of job schedulers");
    }
  } else conversion.refuse("the input", "it is neither a list of job schedulers nor an object of lists");
  return conversion.done();
}

function readQueue(entries: readonly unknown[], options: BullmqOptions, conversion: ConversionInProgress, now: number) {
  for (const [index, entry] of entries.entries()) {
    const { key } = isObject(entry) ? entry : {};
    const place = typeof key === "string" && key !== "" ? key : `entry ${index + 1}`;
    const at = options.queue === undefined ? place : `${options.queue}:${place}`;
    conversion.entry(at, () => readScheduler(entry, at, { options, conversion, now }));
  }
}

interface Context {
  readonly options: BullmqOptions;
  readonly conversion: ConversionInProgress;
  readonly now: number;
}

function readScheduler(entry: unknown, at: string, { options, conversion, now }: Context): ScheduleDraft {
  if (!isObject(entry)) throw new UnsupportedEntry("it is not an object");
  const { key, name, pattern, every, tz, limit, startDate, endDate, offset, template = {} } = entry;
  const queue = typeof entry.queue === "string" ? entry.queue : options.queue;
  if (typeof key !== "string" || key === "") throw new UnsupportedEntry("it has no key");
  if (queue === undefined)
    throw new UnsupportedEntry("it has no queue. Use --queue, or an object with a list for each queue");
  if (limit !== undefined && limit !== null)
    throw new UnsupportedEntry(`it ends after ${String(limit).slice(0, 20)} runs, and schedules of svc don't end`);
  if (endDate !== undefined && endDate !== null)
    throw new UnsupportedEntry(`it ends at ${dateText(endDate)}, and schedules of svc don't end`);
  if (startDate !== undefined && startDate !== null && !(dateMs(startDate) <= now))
    throw new UnsupportedEntry(`it starts at ${dateText(startDate)}, and schedules of svc start at once`);
  if (!isObject(template)) throw new UnsupportedEntry("its template is not an object");
  const zone = typeof tz === "string" && tz !== "" ? tz : options.timezone;
  const slots = readSlots(pattern, every);
  if (slots.kind === "cron" && zone === undefined)
    conversion.note(at, "no tz: times are read as UTC. Set another zone with --timezone", { once: true });
  if (slots.kind === "interval")
    conversion.note(at, "an interval counts from the import, not from BullMQ's own times", { once: true });
  const dropped = isObject(template.opts) ? Object.keys(template.opts).map((option) => `opts.${option}`) : [];
  noteLeftOut(conversion, at, [...dropped, ...(typeof offset === "number" && offset > 0 ? ["offset"] : [])]);
  return {
    name: `${queue}:${key}`,
    engine: options.engine,
    ...slots,
    timezone: zone ?? "UTC",
    task_name: typeof name === "string" && name !== "" ? name : key,
    queue,
    ...inputsOf(template.data),
  };
}

const dateMs = (value: unknown): number => (typeof value === "number" ? value : Date.parse(String(value)));

function dateText(value: unknown): string {
  const ms = dateMs(value);
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(value).slice(0, 40);
}

/** A BullMQ job carries one value: an object is its `kwargs`, another value the only entry of `args`. */
function inputsOf(data: unknown): Pick<ScheduleDraft, "args" | "kwargs"> {
  if (data === undefined || data === null) return { args: [], kwargs: {} };
  return isObject(data) ? { args: [], kwargs: data } : { args: [data], kwargs: {} };
}

function readSlots(pattern: unknown, every: unknown): Pick<ScheduleDraft, "kind" | "expression"> {
  if (typeof pattern === "string" && pattern !== "") return { kind: "cron", expression: cronOfBullmq(pattern) };
  const milliseconds = typeof every === "string" && /^\d{1,15}$/.test(every) ? Number(every) : every;
  if (typeof milliseconds !== "number") throw new UnsupportedEntry("it has neither a pattern nor every");
  if (milliseconds < 1000 || milliseconds % 1000 !== 0)
    throw new UnsupportedEntry(`its interval of ${milliseconds} ms is not a whole number of seconds`);
  return { kind: "interval", expression: String(milliseconds / 1000) };
}

/** BullMQ's names of patterns. */
const macros: ReadonlyMap<string, string> = new Map([
  ["@yearly", "@yearly"],
  ["@annually", "@yearly"],
  ["@monthly", "@monthly"],
  ["@weekly", "@weekly"],
  ["@daily", "@daily"],
  ["@hourly", "@hourly"],
  ["@minutely", "* * * * *"],
  ["@secondly", "* * * * * *"],
  ["@weekdays", "0 0 * * 1-5"],
  ["@weekends", "0 0 * * 0,6"],
]);

/**
 * A pattern of BullMQ as svc writes it. Of six fields BullMQ has the seconds first. In both, either day field may match when both are
 * restricted; in svc a day field that begins with `*` is not restricted, in BullMQ only `*` and `?` are not.
 *
 * @throws UnsupportedEntry
 */
export function cronOfBullmq(pattern: string): string {
  const macro = macros.get(pattern.trim());
  if (macro !== undefined) return macro;
  const fields = pattern.trim().split(/\s+/);
  if (fields.length < 5 || fields.length > 6)
    throw new UnsupportedEntry(`its pattern has ${fields.length} fields, and not 5 or 6`);
  const seconds = fields.length === 6 ? fields.shift()! : "0";
  const [minute = "", hour = "", dayText = "", month = "", weekdayText = ""] = fields;
  const day = dayText === "?" ? "*" : dayText;
  const weekday = weekdayText === "?" ? "*" : weekdayText;
  const isEither = day !== "*" && weekday !== "*";
  if (isEither && [day, weekday].some(isReadDifferently))
    throw new UnsupportedEntry(`versions of BullMQ read the days of its pattern "${pattern.slice(0, 60)}" differently`);
  const all = [
    minute,
    hour,
    isEither ? withoutStar(day, "1-31") : day,
    month,
    isEither ? withoutStar(untilSunday(weekday), "0-6") : untilSunday(weekday),
    ...(seconds === "0" ? [] : [seconds]),
  ];
  return all.join(" ");
}

/** Whether BullMQ 5 and 6 disagree on it next to another restricted day field. */
const isReadDifferently = (field: string): boolean =>
  field.includes("#") || ["1-31", "0-6", "0-7", "1-7", "*/1"].includes(field);

const withoutStar = (field: string, range: string): string =>
  field
    .split(",")
    .map((part) => (part.startsWith("*") ? `${range}${part.slice(1)}` : part))
    .join(",");

/** In BullMQ a weekday with a step, such as `1/2`, runs up to 7, which is Sunday. */
const untilSunday = (field: string): string => (/^[0-7]\/\d$/.test(field) ? field.replace("/", "-7/") : field);
