import { GapBand } from "../../../ui/gap-band/GapBand.tsx";
import { gapGroups } from "../../../ui/gap-band/gaps.ts";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
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
    <PanelFrame title="When it lost something" note="last 24 h">
      {bands.slice(0, maximumBands).map((group) => (
        <GapBand key={group.key} group={group} meaning="Tasks of this time may be missing or end as unknown." />
      ))}
      {bands.length > maximumBands ? (
        <p className={panel.foot}>And {bands.length - maximumBands} earlier times.</p>
      ) : null}
    </PanelFrame>
  );
}
