/** Time zones as data: the input is the packed format of moment-timezone, the output what packages/cadence/src/zones/zone.ts reads. */
export interface PackedData {
  readonly version: string;
  readonly zones: readonly string[];
  readonly links: readonly string[];
}

export interface ListedZone {
  readonly name: string;
  readonly firstOffset: number;
  /** Instants in seconds since 1970, with the offset from then on. Offsets are in seconds east of UTC. */
  readonly changes: readonly { readonly at: number; readonly offset: number }[];
}

export interface ZoneData {
  readonly release: string;
  readonly zones: readonly ListedZone[];
  /** Alias to name. */
  readonly links: ReadonlyMap<string, string>;
}

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWX";

/** A number with base-60 digits, as in `-4u.g`. */
function base60(text: string): number {
  const [whole = "", fraction = ""] = text.replace("-", "").split(".");
  let value = 0;
  for (const digit of whole) value = value * 60 + digits.indexOf(digit);
  [...fraction].forEach((digit, index) => {
    value += digits.indexOf(digit) / 60 ** (index + 1);
  });
  return text.startsWith("-") ? -value : value;
}

export function packedZones({ version, zones, links }: PackedData): ZoneData {
  return {
    release: version,
    zones: zones.map(unpacked).filter(({ name }) => name !== "Factory"),
    links: new Map(
      links.map((link) => {
        const [name = "", alias = ""] = link.split("|");
        return [alias, name];
      }),
    ),
  };
}

/** Schedules look ahead, so earlier changes are left out. */
const firstSecond = Date.UTC(2000, 0, 1) / 1000;

function unpacked(text: string): ListedZone {
  const [name = "", , offsetsText = "", indexes = "", deltas = ""] = text.split("|");
  const offsets = offsetsText.split(" ").map((minutesWest) => -Math.round(base60(minutesWest) * 60) || 0);
  const order = [...indexes].map((digit) => offsets[digits.indexOf(digit)] as number);
  let minutes = 0;
  let firstOffset = order[0] as number;
  const changes: { at: number; offset: number }[] = [];
  for (const [index, delta] of (deltas === "" ? [] : deltas.split(" ")).entries()) {
    const offset = order[index + 1];
    if (offset === undefined) break;
    minutes += base60(delta);
    const at = Math.round(minutes * 60);
    const before = changes.at(-1)?.offset ?? firstOffset;
    if (at < firstSecond) firstOffset = offset;
    else if (offset !== before) changes.push({ at, offset });
  }
  return { name, firstOffset, changes };
}

interface Rule {
  month: number;
  day: number;
  weekday: number;
  wallSeconds: number;
  offset: number;
}

const daySeconds = 86_400;

/** The year of a change by its wall clock, which decides to which year of a rule it belongs. */
const wallOf = (at: number, before: number) => new Date((at + before) * 1000);

/** A change on `shift` days earlier, at a time of day that is later by the same amount. */
function wallDate(at: number, before: number, shift: number) {
  const wall = wallOf(at - shift * daySeconds, before);
  return {
    year: wall.getUTCFullYear(),
    month: wall.getUTCMonth() + 1,
    day: wall.getUTCDate(),
    weekday: wall.getUTCDay(),
    wallSeconds: shift * daySeconds + wall.getUTCHours() * 3600 + wall.getUTCMinutes() * 60 + wall.getUTCSeconds(),
  };
}

/** Years that must follow the rules before they count as rules. All seven positions of a weekday occur in them. */
const fewestYears = 11;
interface Rules {
  rules: Rule[];
  /** The first year that follows the rules. */
  fromYear: number;
  /** How many changes are before that year. */
  listed: number;
}

/** The two yearly rules that the last years of a zone follow, until `lastYear`. */
export function rulesOf({ firstOffset, changes }: ListedZone, lastYear: number): Rules {
  const none = { rules: [], fromYear: lastYear + 1, listed: changes.length };
  const last = changes.length - 1;
  const before = (index: number) => (index === 0 ? firstOffset : (changes[index - 1]?.offset ?? 0));
  if (last < 2 * fewestYears) return none;
  if (wallOf(changes[last]?.at ?? 0, before(last)).getUTCFullYear() !== lastYear) return none;
  const found: Rule[] = [];
  let fewest = Number.POSITIVE_INFINITY;
  for (const start of [last - 1, last]) {
    const best = [0, 1].map((shift) => ruleAt(start, shift)).toSorted((a, b) => b.years - a.years)[0];
    if (best === undefined || best.years < fewestYears) return none;
    found.push(best.rule);
    fewest = Math.min(fewest, best.years);
  }
  return {
    rules: found.toSorted((a, b) => a.month - b.month),
    fromYear: lastYear - fewest + 1,
    listed: changes.length - 2 * fewest,
  };

  /** Follows one of the two changes of a year backwards as long as it is on the same weekday of the same seven days. */
  function ruleAt(start: number, shift: number): { rule: Rule; years: number } {
    const at = (index: number) => wallDate(changes[index]?.at ?? 0, before(index), shift);
    const end = at(start);
    let [lowest, highest] = [end.day, end.day];
    let years = 0;
    for (let index = start; index >= 0; index -= 2) {
      const one = at(index);
      const isSame =
        one.year === end.year - years &&
        one.month === end.month &&
        one.weekday === end.weekday &&
        one.wallSeconds === end.wallSeconds &&
        changes[index]?.offset === changes[start]?.offset &&
        before(index) === before(start);
      const [low, high] = [Math.min(lowest, one.day), Math.max(highest, one.day)];
      if (!isSame || high - low > 6) break;
      [lowest, highest] = [low, high];
      years += 1;
    }
    // A window of fewer than seven days leaves open where it begins.
    const isWhole = highest - lowest === 6;
    const { month, weekday, wallSeconds } = end;
    const offset = changes[start]?.offset ?? 0;
    return { rule: { month, day: lowest, weekday, wallSeconds, offset }, years: isWhole ? years : 0 };
  }
}

function zoneLine(zone: ListedZone, lastYear: number): string {
  const { rules, fromYear, listed } = rulesOf(zone, lastYear);
  let previous = 0;
  const changes = zone.changes.slice(0, listed).map(({ at, offset }) => {
    const text = `${(at - previous).toString(36)}:${offset}`;
    previous = at;
    return text;
  });
  const ruleTexts = rules.map(({ month, day, weekday, wallSeconds, offset }) =>
    [month, day, weekday, wallSeconds, offset].join(","),
  );
  const rulesText = rules.length === 0 ? "" : [fromYear, ...ruleTexts].join(" ");
  return [zone.name, zone.firstOffset, changes.join(" "), rulesText].join("|");
}

const yearOf = (at: number) => new Date(at * 1000).getUTCFullYear();

export function zoneDataText({ release, zones, links }: ZoneData): string {
  const aliases = Map.groupBy(links, ([, name]) => name);
  const lastYear = Math.max(...zones.map(({ changes }) => yearOf(changes.at(-1)?.at ?? 0)));
  const linkLines = [...aliases].map(([name, pairs]) => [name, ...pairs.map(([alias]) => alias)].join(" "));
  return [
    "// Generated by `npm run zones` from the IANA time-zone database. Do not edit.",
    "",
    `export const tzdbRelease = ${JSON.stringify(release)};`,
    "",
    "/** The name of a zone and its aliases, one zone a line. */",
    `export const zoneLinks = \`${linkLines.toSorted().join("\n")}\`;`,
    "",
    "/** `name|first offset|changes|rules`, one zone a line; zone.ts describes the parts. */",
    `export const zoneLines = \`${zones
      .map((zone) => zoneLine(zone, lastYear))
      .toSorted()
      .join("\n")}\`;`,
    "",
  ].join("\n");
}
