import { minuteText, zoneOffsetMs } from "../../ui/time/instants.ts";
import { offsetText } from "./when.ts";

/** A run next to a change of the clocks in the zone of its schedule. */
export interface ClockChange {
  /** Position of the run in the list. */
  at: number;
  text: string;
}

const clock = (at: number, zone: string) => minuteText(at, zone).slice(11);

/** Where clocks change between two runs, and what that does to the second one. `runs` are in milliseconds since 1970, in order. */
export function clockChanges(runs: readonly number[], zone: string): ClockChange[] {
  return runs.flatMap((run, at) => {
    const before = runs[at - 1];
    if (before === undefined) return [];
    const [was, is] = [zoneOffsetMs(before, zone), zoneOffsetMs(run, zone)];
    if (was === is) return [];
    const day = minuteText(run, zone).slice(0, 10);
    if (is > was && zoneOffsetMs(run - 1, zone) !== is) {
      const gapStart = clock(run - 1, zone).slice(0, 5);
      return [{ at, text: `${day}: clocks skip from after ${gapStart} to ${clock(run, zone)}. The run starts then.` }];
    }
    if (is < was && minuteText(before, zone) === minuteText(run, zone)) {
      return [{ at, text: `${day}: ${clock(run, zone)} occurs twice. The task runs twice.` }];
    }
    return [{ at, text: `${day}: clocks change from ${offsetText(before, zone)} to ${offsetText(run, zone)}.` }];
  });
}

/** A change of the clocks that the service found. */
interface ClockWarning {
  kind: string;
  /** `2026-03-29T02:30:00` */
  local_time: string;
}

/** `2027-03-28: 02:30 does not exist. The run starts when the clocks change.` */
export function warningText({ kind, local_time }: ClockWarning): string {
  const [day = "", time = ""] = local_time.split("T");
  const at = `${day}: ${time.replace(/:00$/, "")}`;
  return kind === "skipped"
    ? `${at} does not exist. The run starts when the clocks change.`
    : `${at} occurs twice. The task runs twice.`;
}
