import { age } from "./format.ts";
import { fullText, instant, useZone } from "./instants.ts";
import { useNow } from "./ticker.ts";

function stampTitle(at: number, zone: string): string {
  const inZone = `${fullText(at, zone)} ${zone}`;
  return zone === "UTC" ? inZone : `${inZone}\n${fullText(at, "UTC")} UTC`;
}

/** A ticking age, with the exact instant in the tooltip and for screen readers. `none` is shown without an instant. */
export function Age({
  at,
  none = "never",
  suffix = "",
}: {
  at: string | null | undefined;
  none?: string;
  suffix?: string;
}) {
  const now = useNow();
  const { zone } = useZone();
  const ms = instant(at);
  if (Number.isNaN(ms)) return <span className="t3">{none}</span>;
  return (
    <time dateTime={at ?? ""} title={stampTitle(ms, zone)}>
      <span>
        {age(now - ms)}
        {suffix}
      </span>{" "}
      <span className="vh">
        ({fullText(ms, zone)} {zone})
      </span>
    </time>
  );
}

const precisions = { full: 23, minute: 16, day: 10 };

interface StampProps {
  at: string | null | undefined;
  none?: string;
  /** The precision shown; the tooltip has all of it. A minute is followed by its zone. */
  to?: keyof typeof precisions;
}

/** The exact instant in the chosen zone. */
export function Stamp({ at, none = "–", to = "full" }: StampProps) {
  const { zone } = useZone();
  const ms = instant(at);
  if (Number.isNaN(ms)) return <span className="t3">{none}</span>;
  return (
    <time dateTime={at ?? ""} title={stampTitle(ms, zone)}>
      {fullText(ms, zone).slice(0, precisions[to])}
      {to === "minute" ? ` ${zone}` : ""}
    </time>
  );
}
