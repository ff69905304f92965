import { catchUpPolicies, overlapPolicies, priorities, type ScheduleChanges, type ScheduleCreate } from "@svc/client";
import { type OptionValues, text } from "../../command-line/command.ts";
import { CliError } from "../../command-line/exit-codes.ts";
import { defined, json, oneOf, seconds } from "../../command-line/option-values.ts";

const longestIntervalSeconds = 31_536_000;
const longestLimitSeconds = 86_400;

/** Options for the members of a schedule. A command adds the default of each, if it has one. */
export const definitionOptions = (defaults: (word: string) => string) =>
  ({
    engine: text("NAME", "engine that runs the task, for example bullmq"),
    task: text("NAME", "task to start"),
    cron: text("EXPR", "five cron fields, or six with the seconds last, for example '30 2 * * *'"),
    every: text("TIME", "interval, for example 10m or 30s, up to one year"),
    at: text("TIME", "once, at a time such as 2026-12-24T18:00, in --timezone unless it names a zone"),
    solar: text("EXPR", "every day at an event of the sun, for example sunrise:52.5:13.4"),
    timezone: text("ZONE", `time zone of --cron and --at, for example Europe/Berlin${defaults(" UTC")}`),
    queue: text("NAME", `queue of the task${defaults(": that of the engine")}`),
    priority: text("WORD", `priority of the task: ${priorities.join(", ")}${defaults(" normal")}`),
    args: text("JSON", "positional arguments as a JSON array"),
    kwargs: text("JSON", "named arguments as a JSON object"),
    "catch-up": text(
      "POLICY",
      `what happens to missed slots: ${catchUpPolicies.join(", ")}${defaults(" fire_one_missed")}`,
    ),
    overlap: text("POLICY", `allow or skip: whether it fires while an earlier fire is open${defaults(" allow")}`),
    "late-start": text("TIME", "report a misfire when the task starts later than this after its slot, up to 24h"),
    "long-run": text("TIME", "report a misfire when the task runs longer than this, up to 24h"),
  }) as const;

export type DefinitionValues = OptionValues<ReturnType<typeof definitionOptions>>;

/** The given members, except when it fires. */
export function readMembers(values: DefinitionValues): Omit<ScheduleChanges, "kind" | "expression"> {
  const { engine, task, timezone, queue, priority, args, kwargs, overlap } = values;
  const catchUp = values["catch-up"];
  const limit = (option: "late-start" | "long-run") =>
    values[option] === undefined ? undefined : seconds(option, values[option], { max: longestLimitSeconds });
  return defined({
    engine,
    task_name: task,
    timezone,
    queue,
    priority: priority === undefined ? undefined : oneOf("priority", priority, priorities),
    args: args === undefined ? undefined : (json("args", args, "array") as unknown[]),
    kwargs: kwargs === undefined ? undefined : (json("kwargs", kwargs, "object") as Record<string, unknown>),
    catch_up: catchUp === undefined ? undefined : oneOf("catch-up", catchUp, catchUpPolicies),
    overlap_policy: overlap === undefined ? undefined : oneOf("overlap", overlap, overlapPolicies),
    late_start_seconds: limit("late-start"),
    long_run_seconds: limit("long-run"),
  });
}

/** When it fires; null if no option says so. @throws CliError `usage` for several */
export function readSlots({
  cron,
  every,
  at,
  solar,
}: DefinitionValues): Pick<ScheduleCreate, "kind" | "expression"> | null {
  const given = Object.entries(defined({ cron, interval: every, clocked: at, solar }));
  const [only, ...others] = given as [ScheduleCreate["kind"], string][];
  if (only === undefined) return null;
  if (others.length > 0) throw oneSlot();
  const [kind, expression] = only;
  if (kind !== "interval") return { kind, expression };
  return { kind, expression: String(seconds("every", expression, { max: longestIntervalSeconds })) };
}

export const oneSlot = (): CliError => new CliError("usage", "give exactly one of --cron, --every, --at and --solar");
