import { GapBand } from "../../../ui/gap-band/GapBand.tsx";
import { gapGroups } from "../../../ui/gap-band/gaps.ts";
import panel from "../../../ui/panels/panel.module.css";
import { useGaps } from "./use-gaps.ts";

/** Losses that stand closer than this are told as one. */
const joinMs = 60_000;
const maximumBands = 20;

/** When the agent lost something in the last 24 h; nothing when it did not, or when nobody knows. */
export function LossBands({ slug, agentId }: { slug: string; agentId: string }) {
  const { gaps } = useGaps(slug);
  const bands = gapGroups(
    gaps.filter((gap) => gap.agentId === agentId),
    joinMs,
  );
  if (bands.length === 0) return null;
  return (
    <section className={panel.panel} aria-labelledby="h-when-lost">
      <header>
        <h2 id="h-when-lost">When it lost something</h2>
        <span className="t3">last 24 h</span>
      </header>
      {bands.slice(0, maximumBands).map((group) => (
        <GapBand key={group.key} group={group} meaning="Tasks of this time may be missing or end as unknown." />
      ))}
      {bands.length > maximumBands ? (
        <p className={panel.foot}>And {bands.length - maximumBands} earlier times.</p>
      ) : null}
    </section>
  );
}
