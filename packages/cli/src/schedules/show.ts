import type { Fire, Schedule, ScheduleDetail } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
import { defineCommand, flag } from "../command-line/command.ts";
import { requireWord } from "../command-line/option-values.ts";
import { factsOf, printResult, tableOf } from "../terminal/printed.ts";
import { findSchedules } from "./find-schedules.ts";
import { localZone, stateOf, timeIn, whenOf } from "./schedule-texts.ts";

const shownRuns = 10;
const shownFires = 10;

export const schedulesShow = defineCommand({
  usage: ["schedules show NAME_OR_ID [--json]"],
  options: { json: flag("print one JSON document: the schedule with next_runs and fires"), ...projectOptions },
  details: [
    "Shows when the schedule fires in words, its next 10 runs in its time zone and in that of this machine, and its last 10 fires.",
    authHelp,
  ],
  positionals: 1,
  async run({ values, positionals }, terminal) {
    const word = requireWord(positionals, "NAME_OR_ID");
    const project = await openProject(values, terminal);
    const [found] = await findSchedules(project, [word]);
    const { id } = found!;
    const what = `schedule ${word}`;
    const [schedule, fires] = await Promise.all([
      callService(project, ({ api, slug }) => api.getSchedule(slug, id, { preview: shownRuns }), what),
      callService(project, ({ api, slug }) => api.listFires(slug, id, { limit: shownFires }), what),
    ]);
    const lines = [...factsOf(facts(schedule)), ...nextRunLines(schedule), ...fireLines(fires, schedule)];
    printResult(terminal, values, { ...schedule, fires }, lines);
  },
});

/** The definition and the state of a schedule, as lines of facts. */
export function facts(schedule: Schedule): Readonly<Record<string, unknown>> {
  const seconds = (limit: number | null) => (limit === null ? null : `${limit} s`);
  const { quarantine_code: code, quarantine_detail: detail } = schedule;
  return {
    name: schedule.name,
    state: stateOf(schedule),
    when: whenOf(schedule),
    [schedule.kind]: schedule.expression,
    timezone: schedule.timezone,
    task: schedule.task_name,
    engine: schedule.engine,
    queue: schedule.queue,
    priority: schedule.priority,
    args: schedule.args,
    kwargs: schedule.kwargs,
    "catch-up": schedule.catch_up,
    overlap: schedule.overlap_policy,
    "late start limit": seconds(schedule.late_start_seconds),
    "long run limit": seconds(schedule.long_run_seconds),
    scheduler: schedule.scheduler,
    source: schedule.source,
    "paused since": schedule.paused_at,
    quarantine: code === null ? null : `${code}${detail === null ? "" : `: ${detail}`}`,
    runs: String(schedule.total_runs),
    "failures in a row": schedule.consecutive_failures === null ? null : String(schedule.consecutive_failures),
    "skipped slots, 24 h": schedule.skipped_slots_24h === 0 ? null : String(schedule.skipped_slots_24h),
    "last run": schedule.last_run_at,
    id: schedule.id,
  };
}

/** The next runs in the schedule's zone, and in that of this machine if it is another one. */
export function nextRunLines(schedule: ScheduleDetail): string[] {
  const { next_runs: runs = [], timezone } = schedule;
  if (runs.length === 0) return ["", "no next run"];
  const here = localZone();
  const zones = here === timezone ? [timezone] : [timezone, here];
  const title = { enabled: "next run", disabled: "next run if enabled now", paused: "next run if resumed now" };
  const words = title[stateOf(schedule) as keyof typeof title] ?? "next run if released now";
  const columns = Object.fromEntries(zones.map((zone) => [`${words}, ${zone}`, (run: string) => timeIn(zone, run)]));
  return ["", ...tableOf(runs, columns)];
}

function fireLines(fires: readonly Fire[], { timezone }: Schedule): string[] {
  if (fires.length === 0) return [];
  const columns = {
    [`last fires, ${timezone}`]: (fire: Fire) => timeIn(timezone, fire.scheduled_for),
    status: ({ status }: Fire) => status,
    fired: ({ fired_at }: Fire) => fired_at,
    latency: ({ latency_ms }: Fire) => (latency_ms === null ? null : `${latency_ms} ms`),
    task: ({ task_id }: Fire) => task_id,
    "fire id": ({ fire_id }: Fire) => fire_id,
    error: ({ error_message, error_code }: Fire) => (error_message ?? error_code)?.slice(0, 100),
  };
  return ["", ...tableOf(fires, columns)];
}
