import { fullText, useZone } from "../../ui/time/instants.ts";
import { useNow, useNowEvery } from "../../ui/time/ticker.ts";
import { countdown, runText } from "./when.ts";

/** An API timestamp, or milliseconds since 1970. */
type Instant = string | number;
const msOf = (at: Instant): number => (typeof at === "number" ? at : Date.parse(at));

/** The time left until a run, ticking. */
export function Countdown({ at }: { at: Instant }) {
  return countdown(msOf(at), useNow());
}

/** The exact time of a run in a zone, by default the chosen one, as short as it is unambiguous. */
export function RunTime({ at, zone }: { at: Instant; zone?: string }) {
  const chosen = useZone().zone;
  const now = useNowEvery(60_000);
  const shown = zone ?? chosen;
  const ms = msOf(at);
  return (
    <time dateTime={new Date(ms).toISOString()} title={`${fullText(ms, shown)} ${shown}`}>
      {runText(ms, shown, now)}
    </time>
  );
}
