import { CadenceError } from "../cadence-error.ts";
import { daySeconds, daysOf, weekdayOf } from "./civil.ts";
import { tzdbRelease, zoneLines, zoneLinks } from "./zone-data.generated.ts";

/** A time zone of the bundled database. Instants and offsets are in seconds; offsets are east of UTC. */
export interface Zone {
  readonly name: string;
  offsetAt(second: number): number;
  /** The first change of the offset after `second`; Infinity if none follows. */
  changeAfter(second: number): number;
  /** The offset before the change at `second`; null if no change is at that instant. */
  offsetBefore(second: number): number | null;
}

/** A yearly change: on the first `weekday` on or after `day` of `month`, at `wallSeconds` after midnight by the offset before it. */
interface YearlyChange {
  readonly month: number;
  readonly day: number;
  readonly weekday: number;
  readonly wallSeconds: number;
  readonly offset: number;
}

/** Rules are expanded up to here; later years keep the last offset. */
const lastYear = 2200;

const aliases: ReadonlyMap<string, string> = new Map(
  zoneLinks.split("\n").flatMap((line) => {
    const [name = "", ...others] = line.split(" ");
    return others.map((alias): [string, string] => [alias, name]);
  }),
);
const lines: ReadonlyMap<string, string> = new Map(
  zoneLines.split("\n").map((line) => [line.slice(0, line.indexOf("|")), line]),
);
const loaded = new Map<string, Zone>();

/** The release of the time-zone database, such as `2026f`. */
export { tzdbRelease };

/** The names of all zones, including aliases, in alphabetical order. */
export const zoneNames = (): string[] => [...lines.keys(), ...aliases.keys()].sort();

/** Finds a zone by its name or alias; an empty name is UTC. @throws CadenceError `unknown_timezone` */
export function findZone(name: string): Zone {
  const wanted = name === "" ? "UTC" : name;
  const canonical = aliases.get(wanted) ?? wanted;
  const known = loaded.get(canonical);
  if (known !== undefined) return known;
  const line = lines.get(canonical);
  if (line === undefined) {
    const text = wanted.length > 60 ? `${wanted.slice(0, 60)}…` : wanted;
    throw new CadenceError("unknown_timezone", `${text} is not a time zone such as Europe/Berlin or UTC`);
  }
  const zone = readZone(line);
  loaded.set(canonical, zone);
  return zone;
}

/**
 * A line is `name|first offset|changes|rules`: changes are pairs of seconds since the previous change (in base 36) and the new offset, rules are
 * the first year that they apply to and, for each, `month,day,weekday,wall seconds,offset`. The first offset is that of the year 2000.
 */
function readZone(line: string): Zone {
  const [name = "", first = "0", changesText = "", rulesText = ""] = line.split("|");
  const instants: number[] = [];
  const offsets: number[] = [Number(first)];
  let instant = 0;
  for (const pair of changesText === "" ? [] : changesText.split(" ")) {
    const [delta = "0", offset = "0"] = pair.split(":");
    instant += Number.parseInt(delta, 36);
    instants.push(instant);
    offsets.push(Number(offset));
  }
  const [fromYear = "", ...rules] = rulesText.split(" ");
  expand(instants, offsets, Number(fromYear), rules.map(readRule));
  return zoneOf(name, instants, offsets);
}

function readRule(text: string): YearlyChange {
  const [month = 0, day = 0, weekday = 0, wallSeconds = 0, offset = 0] = text.split(",").map(Number);
  return { month, day, weekday, wallSeconds, offset };
}

/** Appends the changes of the rules, which are in the order of the year. */
function expand(instants: number[], offsets: number[], fromYear: number, rules: readonly YearlyChange[]): void {
  for (let year = fromYear; rules.length > 0 && year <= lastYear; year += 1) {
    for (const { month, day, weekday, wallSeconds, offset } of rules) {
      const earliest = daysOf(year, month, day);
      const days = earliest + ((weekday - weekdayOf(earliest) + 7) % 7);
      const instant = days * daySeconds + wallSeconds - (offsets.at(-1) ?? 0);
      instants.push(instant);
      offsets.push(offset);
    }
  }
}

function zoneOf(name: string, instants: readonly number[], offsets: readonly number[]): Zone {
  /** How many changes are at or before `second`. */
  const passed = (second: number): number => {
    let low = 0;
    let high = instants.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((instants[middle] as number) <= second) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    name,
    offsetAt: (second) => offsets[passed(second)] as number,
    changeAfter: (second) => instants[passed(second)] ?? Number.POSITIVE_INFINITY,
    offsetBefore: (second) => {
      const count = passed(second);
      return count > 0 && instants[count - 1] === second ? (offsets[count - 1] as number) : null;
    },
  };
}
