import { readArgs, readKwargs } from "../../../ui/forms/json-inputs.ts";

/** The fields of the editor, as typed. */
export interface ScheduleForm {
  name: string;
  engine: string;
  task_name: string;
  queue: string;
  priority: string;
  kind: CadenceKind;
  /** Each kind keeps its own expression while another one is tried. */
  expressions: Readonly<Record<CadenceKind, string>>;
  timezone: string;
  args: string;
  kwargs: string;
  catch_up: string;
  overlap_policy: string;
  /** Seconds; empty for no limit. */
  late_start_seconds: string;
  long_run_seconds: string;
  is_enabled: boolean;
}

export const cadenceKinds = ["cron", "interval", "clocked", "solar"] as const;
export type CadenceKind = (typeof cadenceKinds)[number];

/** The fields that a schedule has and a request sets. */
export interface Definition {
  name: string;
  engine: string;
  task_name: string;
  queue: string | null;
  priority: string;
  kind: string;
  expression: string;
  timezone: string;
  args: unknown[];
  kwargs: Record<string, unknown>;
  catch_up: string;
  overlap_policy: string;
  late_start_seconds: number | null;
  long_run_seconds: number | null;
  is_enabled: boolean;
}

const newForm: ScheduleForm = {
  name: "",
  engine: "",
  task_name: "",
  queue: "",
  priority: "normal",
  kind: "cron",
  expressions: { cron: "0 3 * * *", interval: "3600", clocked: "", solar: "sunrise:52.52:13.405" },
  timezone: "UTC",
  args: "[]",
  kwargs: "{}",
  catch_up: "fire_one_missed",
  overlap_policy: "allow",
  late_start_seconds: "",
  long_run_seconds: "",
  is_enabled: true,
};

/** The form of a new schedule. */
export const emptyForm = (more: Partial<ScheduleForm>): ScheduleForm => ({ ...newForm, ...more });

type Stored = Partial<Omit<Definition, "args" | "kwargs">> & {
  name: string;
  kind: string;
  expression: string;
  args?: unknown;
  kwargs?: unknown;
};

/** The form of a schedule that exists. */
export function formOf(schedule: Stored): ScheduleForm {
  const kind = cadenceKinds.find((one) => one === schedule.kind) ?? "cron";
  const seconds = (limit: number | null | undefined) => (limit === null || limit === undefined ? "" : String(limit));
  return {
    ...newForm,
    name: schedule.name,
    engine: schedule.engine ?? "",
    task_name: schedule.task_name ?? "",
    queue: schedule.queue ?? "",
    priority: schedule.priority ?? newForm.priority,
    kind,
    expressions: { ...newForm.expressions, [kind]: schedule.expression },
    timezone: schedule.timezone || "UTC",
    args: JSON.stringify(schedule.args ?? [], null, 2),
    kwargs: JSON.stringify(schedule.kwargs ?? {}, null, 2),
    catch_up: schedule.catch_up ?? newForm.catch_up,
    overlap_policy: schedule.overlap_policy ?? newForm.overlap_policy,
    late_start_seconds: seconds(schedule.late_start_seconds),
    long_run_seconds: seconds(schedule.long_run_seconds),
    is_enabled: schedule.is_enabled ?? true,
  };
}

export type FormErrors = Partial<Record<keyof Definition, string>>;

const maximumLimit = 86_400;
const limitError = `Enter a whole number from 1 to ${maximumLimit}`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: names can't have them
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** What the typed fields lack. The server checks expressions and time zones. */
export function formErrors(form: ScheduleForm): FormErrors {
  const errors: FormErrors = {};
  for (const field of ["name", "engine", "task_name", "timezone"] as const) {
    if (form[field].trim() === "") errors[field] = "Required";
  }
  if (control.test(form.name)) errors.name = "Must not contain control characters";
  if (expressionOf(form) === "") errors.expression = "Required";
  for (const field of ["late_start_seconds", "long_run_seconds"] as const) {
    if (Number.isNaN(secondsOf(form[field]))) errors[field] = limitError;
  }
  const { error: argsError } = readArgs(form.args);
  if (argsError !== null) errors.args = argsError;
  const { error: kwargsError } = readKwargs(form.kwargs);
  if (kwargsError !== null) errors.kwargs = kwargsError;
  return errors;
}

export const expressionOf = ({ kind, expressions }: Pick<ScheduleForm, "kind" | "expressions">): string =>
  expressions[kind].trim();

/** Null for no limit, NaN if it is not a number of seconds. */
function secondsOf(text: string): number | null {
  if (text.trim() === "") return null;
  const seconds = /^\d{1,5}$/.test(text.trim()) ? Number(text.trim()) : Number.NaN;
  return seconds >= 1 && seconds <= maximumLimit ? seconds : Number.NaN;
}

/** The definition in the form, which must have no errors. */
export function definitionOf(form: ScheduleForm): Definition {
  return {
    name: form.name.trim(),
    engine: form.engine.trim(),
    task_name: form.task_name.trim(),
    queue: form.queue.trim() || null,
    priority: form.priority,
    kind: form.kind,
    expression: expressionOf(form),
    timezone: form.timezone.trim(),
    args: readArgs(form.args).value ?? [],
    kwargs: readKwargs(form.kwargs).value ?? {},
    catch_up: form.catch_up,
    overlap_policy: form.overlap_policy,
    late_start_seconds: secondsOf(form.late_start_seconds),
    long_run_seconds: secondsOf(form.long_run_seconds),
    is_enabled: form.is_enabled,
  };
}

/** The fields that differ from the form's first state: a change must not undo changes made by others. */
export function changesOf(first: ScheduleForm, form: ScheduleForm): Partial<Definition> {
  const [before, after] = [definitionOf(first), definitionOf(form)];
  const changed = (Object.keys(after) as (keyof Definition)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, after[field]]));
}

/** The parts of a cron expression with their names; empty if it has another number of fields. */
export function cronParts(expression: string): { text: string; name: string }[] {
  const fields = expression.trim().split(/\s+/);
  const names = ["minute", "hour", "day", "month", "weekday", "second"];
  if (fields.length !== 5 && fields.length !== 6) return [];
  return fields.map((text, at) => ({ text, name: names[at] ?? "" }));
}

export const solarEvents = ["dawn", "sunrise", "solar_noon", "sunset", "dusk", "solar_midnight"] as const;

/** Event, latitude and longitude of a solar expression. */
export function splitSolar(expression: string): [event: string, latitude: string, longitude: string] {
  const [event = "", latitude = "", longitude = ""] = expression.split(":");
  return [event, latitude, longitude];
}

/** What the parts of the form share. */
export interface FieldsProps {
  slug: string;
  form: ScheduleForm;
  errors: FormErrors;
  set: (changes: Partial<ScheduleForm>) => void;
}
