import { readCron } from "./fields.ts";

const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
/** Monday first, so that Saturday and Sunday are next to each other. */
const weekdayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const positions = ["first", "second", "third", "fourth", "fifth"];
/** More times of day than this are described by hours and minutes. */
const mostTimes = 4;

/** A cron expression in English, such as `Every 5 minutes` or `At 09:00 on Monday to Friday`. @throws CadenceError `invalid_cron` */
export function describeCron(expression: string): string {
  const fields = readCron(expression);
  const days = bitsIn(fields.days, 1, 31);
  const weekdays = bitsIn(fields.weekdays, 0, 6).map((weekday) => (weekday + 6) % 7);
  const months = bitsIn(fields.months, 1, 12);
  const time = timeText(valuesIn(fields.nextSecond), valuesIn(fields.nextMinute), valuesIn(fields.nextHour));
  const dayTexts = [
    ...(days.length === 31 ? [] : [daysText(days, fields.hasLastDay)]),
    ...(weekdays.length === 7 ? [] : [weekdaysText(weekdays, fields.nths)]),
  ];
  const day = dayTexts.length === 0 ? "" : ` on ${dayTexts.join(fields.isEither ? " or on " : " if it is ")}`;
  const month =
    months.length === 12
      ? ""
      : ` in ${listed(
          months.map((one) => one - 1),
          (at) => monthNames[at] ?? "",
        )}`;
  const isDaily = day === "" && /^at \d/.test(time);
  const text = isDaily ? `every day ${time}${month}` : `${time}${day}${month}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const valuesIn = (table: Int8Array): number[] => [...table.keys()].filter((value) => table[value] === value);

function bitsIn(bits: number, low: number, high: number): number[] {
  return Array.from({ length: high - low + 1 }, (_, index) => low + index).filter(
    (value) => (bits & (1 << value)) !== 0,
  );
}

function timeText(seconds: readonly number[], minutes: readonly number[], hours: readonly number[]): string {
  const isOnMinute = seconds.length === 1 && seconds[0] === 0;
  if (seconds.length * minutes.length * hours.length <= mostTimes) {
    const times = hours.flatMap((hour) =>
      minutes.flatMap((minute) => seconds.map((second) => clock(hour, minute, isOnMinute ? null : second))),
    );
    return `at ${joined(times)}`;
  }
  if (!isOnMinute) return secondsText(seconds, minutes, hours);
  const step = stepOf(minutes, 60);
  const within = hoursText(hours, step !== null);
  if (step !== null && within !== null) return `every ${counted(step, "minute")}${within}`;
  if (minutes.length === 1 && within !== null) {
    const minute = minutes[0] === 0 ? "" : ` at minute ${minutes[0]}`;
    const everyHours = stepOf(hours, 24);
    return everyHours === null || everyHours === 1
      ? `every hour${minute}${within}`
      : `every ${everyHours} hours${minute}`;
  }
  return `at ${plural(minutes, "minute")}${hours.length === 24 ? " of every hour" : ` of ${plural(hours, "hour")}`}`;
}

function secondsText(seconds: readonly number[], minutes: readonly number[], hours: readonly number[]): string {
  const step = stepOf(seconds, 60);
  const start = step === null ? `at ${plural(seconds, "second")}` : `every ${counted(step, "second")}`;
  const minute = minutes.length === 60 ? (step === null ? " of every minute" : "") : ` of ${plural(minutes, "minute")}`;
  const hour = hours.length === 24 ? "" : ` of ${plural(hours, "hour")}`;
  return `${start}${minute}${hour}`;
}

/** The hours as a range; empty for all of them, null when they are not one. Minutes that repeat reach into the last hour. */
function hoursText(hours: readonly number[], repeats: boolean): string | null {
  if (hours.length === 24 || (!repeats && stepOf(hours, 24) !== null)) return "";
  const [first = 0, last = 0] = [hours[0], hours.at(-1)];
  if (last - first !== hours.length - 1) return null;
  return ` from ${clock(first, 0, null)} to ${clock(last, repeats ? 59 : 0, null)}`;
}

/** The step of values that repeat evenly from 0 within `size`; null for others. */
function stepOf(values: readonly number[], size: number): number | null {
  const step = values.length < 2 ? 0 : (values[1] as number);
  const isEven = values[0] === 0 && step > 0 && size % step === 0 && values.length === size / step;
  return isEven && values.every((value, index) => value === index * step) ? step : null;
}

function daysText(days: readonly number[], hasLastDay: boolean): string {
  const last = "the last day of the month";
  if (days.length === 0) return last;
  const step = days.length > 3 ? (days[1] as number) - (days[0] as number) : 1;
  const isStepped = step > 1 && days.every((day, index) => day === (days[0] as number) + index * step);
  const text = isStepped
    ? `every ${step} days of the month from day ${days[0]} to day ${days.at(-1)}`
    : `${plural(days, "day")} of the month`;
  return hasLastDay ? `${text} or ${last}` : text;
}

function weekdaysText(weekdays: readonly number[], nths: readonly (readonly [number, number])[]): string {
  const every = weekdays.length === 0 ? [] : [listed(weekdays, (at) => weekdayNames[at] ?? "")];
  const some = nths.map(
    ([weekday, nth]) => `the ${positions[nth - 1]} ${weekdayNames[(weekday + 6) % 7]} of the month`,
  );
  return joined([...every, ...some]);
}

const clock = (hour: number, minute: number, second: number | null): string =>
  [hour, minute, ...(second === null ? [] : [second])].map((part) => String(part).padStart(2, "0")).join(":");

const counted = (count: number, unit: string): string => (count === 1 ? unit : `${count} ${unit}s`);

/** `minute 5`, `minutes 5, 10 and 20 to 30`. */
const plural = (values: readonly number[], unit: string): string =>
  `${unit}${values.length === 1 ? "" : "s"} ${listed(values, String)}`;

/** Values in words, with three or more in a row as a range. */
function listed(values: readonly number[], print: (value: number) => string): string {
  const sorted = values.toSorted((a, b) => a - b);
  const parts: string[] = [];
  for (let from = 0; from < sorted.length; ) {
    let to = from;
    while (sorted[to + 1] === (sorted[to] as number) + 1) to += 1;
    const run = sorted.slice(from, to + 1);
    if (run.length < 3) parts.push(...run.map(print));
    else parts.push(`${print(run[0] as number)} to ${print(run.at(-1) as number)}`);
    from = to + 1;
  }
  return joined(parts);
}

const joined = (parts: readonly string[]): string =>
  parts.length < 2 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
