import { type Static, Type } from "typebox";
import { Described, Instant, Nullable, OneOf, Uuid, ValidatedLater } from "../../../platform/http/schemas.ts";
import { maxPreview, ScheduleKind } from "../schemas.ts";

export const ForecastQuery = Type.Object({
  days: Type.Integer({
    default: 7,
    minimum: 1,
    maximum: 7,
    description: "how many days, by the clocks of the project",
  }),
  schedule_id: Type.Optional(Type.Unsafe<string>({ ...Uuid, description: "schedule that is edited; not counted" })),
});
export type ForecastQuery = Static<typeof ForecastQuery>;

const count = (description: string) => Type.Integer({ description });
const schedulesOf = () =>
  Type.Array(
    Type.Object({
      id: Described(Type.Unsafe<string>(Uuid), "id of the schedule"),
      name: Type.String({ description: "name of the schedule" }),
    }),
    { description: "some of them" },
  );
const movedExpression = {
  expression: Type.String({ description: "the same cron expression at another minute of the hour" }),
  at: Described(Instant, "the minute to which it moves this one"),
};

export const Forecast = Type.Object(
  {
    from: Described(Instant, "when it was computed; it begins then"),
    to: Described(Instant, "its end, which is not included"),
    timezone: Type.String({ description: "time zone of the hours: that of the project" }),
    schedule_count: count("schedules in it: those of this service that are enabled, not paused and not quarantined"),
    hours: Type.Array(
      Type.Object({
        starts_at: Described(Instant, "when the hour starts"),
        date: Type.String({ description: "day in the time zone, as 2026-03-29" }),
        hour: count("hour on clocks in the time zone, 0 to 23; an hour that occurs twice is there twice"),
        fires: count("slots in it"),
      }),
      { description: "every hour, from the current one on; an hour that clocks skip is absent" },
    ),
    quarters: Type.Array(
      Type.Object({
        starts_at: Described(Instant, "when the quarter of an hour starts"),
        fires: count("slots in it"),
        most_per_minute: count("schedules that fire in its busiest minute"),
      }),
      { description: "the quarters of an hour of the next day, from the current one on: 96" },
    ),
    collisions: Type.Array(
      Type.Object({
        at: Described(Instant, "when the minute starts"),
        schedule_count: count("schedules with a slot in it"),
        schedules: schedulesOf(),
        move: Nullable(
          Type.Object({
            schedule_id: Described(Type.Unsafe<string>(Uuid), "the schedule that can be moved"),
            ...movedExpression,
          }),
          "a change of one of its schedules after which that fires in no minute with another; null if there is none, or if not everything was counted",
        ),
      }),
      {
        description:
          "minutes in which several schedules fire, at most 50: those with the most schedules, then the earliest",
      },
    ),
    is_capped: Type.Boolean({ description: "whether there is more than it counts; the numbers are then too small" }),
  },
  { title: "ScheduleForecast", description: "What the schedules of a project will fire." },
);
export type Forecast = Static<typeof Forecast>;

export const PreviewQuery = Type.Object({
  kind: Described(ValidatedLater(ScheduleKind), "how the expression is read"),
  expression: Type.String({ maxLength: 1024, description: "expression of that kind" }),
  timezone: Type.Optional(Type.String({ maxLength: 64, description: "IANA time zone of the expression; UTC" })),
  count: Type.Integer({ default: 5, minimum: 0, maximum: maxPreview, description: "how many next slots" }),
  schedule_id: Type.Optional(
    Type.Unsafe<string>({ ...Uuid, description: "schedule that is edited; not compared with" }),
  ),
});
export type PreviewQuery = Static<typeof PreviewQuery>;

export const Preview = Type.Object(
  {
    description: Type.String({ description: "when it fires, in words" }),
    next_runs: Type.Array(Instant, { description: "next slots, from now on" }),
    warnings: Type.Array(
      Type.Object({
        kind: Type.Unsafe<string>(
          OneOf(["skipped", "repeated"], {
            title: "ClockWarningKind",
            description:
              "skipped: its time does not exist on that day, so that it fires right after the change; repeated: its time occurs twice, so that it fires twice",
          }),
        ),
        at: Described(Instant, "when clocks change"),
        local_time: Type.String({ description: "the affected time on clocks, as 2026-03-29T02:30:00" }),
      }),
      { description: "changes of clocks in the next year that move or repeat a slot" },
    ),
    same_minute: Type.Array(
      Type.Object({
        at: Described(Instant, "when the minute starts"),
        schedule_count: count("other schedules with a slot in it"),
        schedules: schedulesOf(),
      }),
      { description: "minutes of the next slots in which other schedules fire as well" },
    ),
    move: Nullable(
      Type.Object(movedExpression),
      "a change after which no other schedule fires in the minutes of its next slots; null if there is none, if none is needed, or if other schedules were left out",
    ),
    is_capped: Type.Boolean({ description: "whether other schedules were left out, because there are too many" }),
  },
  { title: "SchedulePreview", description: "What an expression means." },
);
export type Preview = Static<typeof Preview>;
