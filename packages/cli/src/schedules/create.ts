import { catchUpPolicies, overlapPolicies, priorities, type ScheduleCreate } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
import { defineCommand, flag, type OptionValues, text } from "../command-line/command.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { defined, json, jsonOption, oneOf, requireWord, seconds } from "../command-line/option-values.ts";
import { factsOf, printResult } from "../terminal/printed.ts";
import { facts, nextRunLines } from "./show.ts";

const longestIntervalSeconds = 31_536_000;
const longestLimitSeconds = 86_400;

const options = {
  engine: text("NAME", "engine that runs the task, for example bullmq"),
  task: text("NAME", "task to start"),
  cron: text("EXPR", "five cron fields, or six with the seconds last, for example '30 2 * * *'"),
  every: text("TIME", "interval, for example 10m or 30s, up to one year"),
  at: text("TIME", "once, at a time such as 2026-12-24T18:00, in --timezone unless it names a zone"),
  solar: text("EXPR", "every day at an event of the sun, for example sunrise:52.5:13.4"),
  timezone: text("ZONE", "time zone of --cron and --at, for example Europe/Berlin (default UTC)"),
  queue: text("NAME", "queue of the task (default: that of the engine)"),
  priority: text("WORD", `priority of the task: ${priorities.join(", ")} (default normal)`),
  args: text("JSON", "positional arguments as a JSON array"),
  kwargs: text("JSON", "named arguments as a JSON object"),
  "catch-up": text("POLICY", `what happens to missed slots: ${catchUpPolicies.join(", ")} (default fire_one_missed)`),
  overlap: text("POLICY", "allow or skip: whether it fires while an earlier fire is open (default allow)"),
  "late-start": text("TIME", "report a misfire when the task starts later than this after its slot, up to 24h"),
  "long-run": text("TIME", "report a misfire when the task runs longer than this, up to 24h"),
  disabled: flag("create it disabled"),
  ...jsonOption,
  ...projectOptions,
} as const;

export const schedulesCreate = defineCommand({
  usage: [
    "schedules create NAME --engine NAME --task NAME (--cron EXPR | --every TIME | --at TIME | --solar EXPR) [--json]",
  ],
  options,
  details: ["Requires the admin role. Expressions: docs/reference/schedule-expressions.md.", authHelp],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const body = { name: requireWord(positionals, "NAME"), ...readDefinition(values) };
    const project = await openProject(values, terminal);
    const { id } = await callService(project, ({ api, slug }) => api.createSchedule(slug, body));
    const created = await callService(project, ({ api, slug }) => api.getSchedule(slug, id, { preview: 3 }));
    printResult(terminal, values, created, [...factsOf(facts(created)), ...nextRunLines(created)]);
  },
});

function readDefinition(values: OptionValues<typeof options>): Omit<ScheduleCreate, "name"> {
  const { engine, task, timezone, queue, priority, args, kwargs, overlap } = values;
  if (engine === undefined || task === undefined) throw new CliError("usage", "missing --engine or --task");
  const catchUp = values["catch-up"];
  const limit = (option: "late-start" | "long-run") =>
    values[option] === undefined ? undefined : seconds(option, values[option], { max: longestLimitSeconds });
  return {
    engine,
    task_name: task,
    ...readSlots(values),
    ...defined({
      timezone,
      queue,
      priority: priority === undefined ? undefined : oneOf("priority", priority, priorities),
      args: args === undefined ? undefined : (json("args", args, "array") as unknown[]),
      kwargs: kwargs === undefined ? undefined : (json("kwargs", kwargs, "object") as Record<string, unknown>),
      catch_up: catchUp === undefined ? undefined : oneOf("catch-up", catchUp, catchUpPolicies),
      overlap_policy: overlap === undefined ? undefined : oneOf("overlap", overlap, overlapPolicies),
      late_start_seconds: limit("late-start"),
      long_run_seconds: limit("long-run"),
    }),
    ...(values.disabled === true && { is_enabled: false }),
  };
}

function readSlots({
  cron,
  every,
  at,
  solar,
}: OptionValues<typeof options>): Pick<ScheduleCreate, "kind" | "expression"> {
  const given = Object.entries({ cron, interval: every, clocked: at, solar }).filter(
    ([, value]) => value !== undefined,
  );
  const [only, ...others] = given as [ScheduleCreate["kind"], string][];
  if (only === undefined || others.length > 0)
    throw new CliError("usage", "give exactly one of --cron, --every, --at and --solar");
  const [kind, expression] = only;
  if (kind !== "interval") return { kind, expression };
  return { kind, expression: String(seconds("every", expression, { max: longestIntervalSeconds })) };
}
