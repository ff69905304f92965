import { plural, type ScheduleForecast } from "@svc/client";
import { authHelp, callService, openProject, projectOptions } from "../api/connect.ts";
import { defineCommand, text } from "../command-line/command.ts";
import { jsonOption, wholeNumber } from "../command-line/option-values.ts";
import { inOneLine, printResult, tableOf } from "../terminal/printed.ts";
import { timeIn } from "./schedule-texts.ts";

export const schedulesForecast = defineCommand({
  usage: ["schedules forecast [--days N] [--json]"],
  options: { days: text("N", "number of days, 1 to 7 (default 7)"), ...jsonOption, ...projectOptions },
  details: [
    "Prints how many slots each hour of the next days has, in the time zone of the project, and the minutes in which several schedules fire.",
    "Contains the schedules of svc that are enabled, not paused and not quarantined.",
    authHelp,
  ],
  async run({ values }, terminal) {
    const days = wholeNumber("days", values.days ?? "7", { min: 1, max: 7 });
    const project = await openProject(values, terminal);
    const forecast = await callService(project, ({ api, slug }) => api.getScheduleForecast(slug, { days }));
    printResult(terminal, values, forecast, forecastLines(forecast));
    if (values.json !== true && forecast.is_capped)
      terminal.err("svc: there are more slots than the service counts. The numbers are too small");
  },
});

/** A row for each day with a column for each hour, then the collisions. */
export function forecastLines({ timezone, schedule_count: count, hours, collisions }: ScheduleForecast): string[] {
  const zone = inOneLine(timezone);
  if (hours.every(({ fires }) => fires === 0)) return [`no slots: ${plural(count, "active schedule")} (${zone})`];
  return [
    `${plural(count, "active schedule")}, slots by hour (${zone})`,
    "",
    ...hourTable(hours),
    "",
    ...(collisions.length === 0
      ? ["no minute in which several schedules fire"]
      : tableOf(collisions, collisionColumns(timezone))),
  ];
}

function hourTable(hours: ScheduleForecast["hours"]): string[] {
  const days = new Map<string, Map<number, number>>();
  for (const { date, hour, fires } of hours) {
    const day = days.get(date) ?? new Map<number, number>();
    days.set(date, day);
    // An hour that occurs twice has one column.
    day.set(hour, (day.get(hour) ?? 0) + fires);
  }
  const width = Math.max(
    2,
    ...[...days.values()].flatMap((day) => [...day.values()].map((fires) => short(fires).length)),
  );
  const line = (title: string, cell: (hour: number) => string) =>
    [title, ...Array.from({ length: 24 }, (_, hour) => cell(hour).padStart(width))].join(" ").trimEnd();
  return [
    line("DAY       ", (hour) => String(hour).padStart(2, "0")),
    ...[...days].map(([date, day]) =>
      line(date, (hour) => {
        const fires = day.get(hour);
        return fires === undefined ? "" : fires === 0 ? "." : short(fires);
      }),
    ),
  ];
}

/** `950`, `1.2k` for 1,200, `15k` for 15,000. */
function short(count: number): string {
  if (count < 1000) return String(count);
  const [size, unit] = count < 1_000_000 ? [1000, "k"] : [1_000_000, "M"];
  const value = count / (size as number);
  return `${value < 10 ? value.toFixed(1) : Math.floor(value)}${unit}`;
}

type Collision = ScheduleForecast["collisions"][number];

const collisionColumns = (timezone: string) => ({
  minute: ({ at }: Collision) => timeIn(timezone, at),
  schedules: ({ schedule_count }: Collision) => schedule_count,
  names: ({ schedules, schedule_count }: Collision) =>
    `${schedules.map(({ name }) => name).join(", ")}${schedule_count > schedules.length ? ", …" : ""}`.slice(0, 120),
});
