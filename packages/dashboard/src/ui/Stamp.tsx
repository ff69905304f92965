import { age } from "./format.ts";
import { fullText, instant, useZone } from "./instants.ts";
import { useNow } from "./ticker.ts";

function stampTitle(at: number, zone: string): string {
  const inZone = `${fullText(at, zone)} ${zone}`;
  return zone === "UTC" ? inZone : `${inZone}\n${fullText(at, "UTC")} UTC`;
}

/** How long ago, ticking; the exact instant is in the tooltip, and is read out. `none` is printed for an absent instant. */
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

interface StampProps {
  at: string | null | undefined;
  none?: string;
  /** How exact what is shown is; the tooltip tells all. */
  unit?: "ms" | "minute";
}

/** The exact instant in the chosen zone. */
export function Stamp({ at, none = "–", unit = "ms" }: StampProps) {
  const { zone } = useZone();
  const ms = instant(at);
  if (Number.isNaN(ms)) return <span className="t3">{none}</span>;
  return (
    <time dateTime={at ?? ""} title={stampTitle(ms, zone)}>
      {unit === "ms" ? fullText(ms, zone) : fullText(ms, zone).slice(0, 16)}
    </time>
  );
}
