import type { Schedule } from "@svc/client";
import { authHelp, callService, openProject, type Project, projectOptions } from "../api/connect.ts";
import { defineCommand, text } from "../command-line/command.ts";
import { defined, listOptions, wholeNumber } from "../command-line/option-values.ts";
import { printPage } from "../terminal/printed.ts";
import { startProgress } from "../terminal/progress.ts";
import { maxPage } from "./find-schedules.ts";
import { stateOf, whenOf } from "./schedule-texts.ts";

const maxSchedules = 100_000;

export const schedulesList = defineCommand({
  usage: ["schedules list [--limit N] [--cursor CURSOR] [--json]"],
  options: {
    ...listOptions,
    limit: text("N", "maximum number of rows, by name, up to 100,000 (default 50)"),
    ...projectOptions,
  },
  details: ["Lists the schedules of svc, and those that engines report.", authHelp],
  async run({ values }, terminal) {
    const limit = wholeNumber("limit", values.limit ?? "50", { min: 1, max: maxSchedules });
    const project = await openProject(values, terminal);
    using progress = startProgress("reading", terminal);
    const page = await readSchedules(project, { limit, cursor: values.cursor }, (read) => progress.show(read, limit));
    printPage(terminal, values, page, { columns, none: "no schedules found" });
  },
});

async function readSchedules(
  project: Project,
  { limit, cursor: first }: { limit: number; cursor: string | undefined },
  onRead: (count: number) => void,
) {
  const items: Schedule[] = [];
  for (let cursor = first; ; ) {
    const query = { limit: Math.min(maxPage, limit - items.length), ...defined({ cursor }) };
    const page = await callService(project, ({ api, slug }) => api.listSchedules(slug, query));
    items.push(...page.items);
    if (page.next_cursor === null || items.length >= limit) return { ...page, items };
    cursor = page.next_cursor;
    onRead(items.length);
  }
}

const columns = {
  name: ({ name }: Schedule) => name,
  state: stateOf,
  when: (schedule: Schedule) => whenOf(schedule).slice(0, 80),
  task: ({ task_name }: Schedule) => task_name,
  engine: ({ engine }: Schedule) => engine,
  scheduler: ({ scheduler }: Schedule) => scheduler,
  "next run": ({ next_run_at }: Schedule) => next_run_at,
  "last run": ({ last_run_at }: Schedule) => last_run_at,
  runs: ({ total_runs }: Schedule) => total_runs,
  failures: ({ consecutive_failures }: Schedule) => consecutive_failures,
};
