import { GapBand } from "../../../ui/gap-band/GapBand.tsx";
import { gapGroups } from "../../../ui/gap-band/gaps.ts";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { useGaps } from "./use-gaps.ts";

/** Losses closer together than this are shown as one. */
const joinMs = 60_000;
const maximumBands = 20;

/** When the agent lost events in the last 24 h; nothing if it lost none or that is unknown. */
export function LossBands({ slug, agentId }: { slug: string; agentId: string }) {
  const { gaps } = useGaps(slug);
  const bands = gapGroups(
    gaps.filter((gap) => gap.agentId === agentId),
    joinMs,
  );
  if (bands.length === 0) return null;
  return (
    <PanelFrame title="Event losses" note="last 24 h">
      {bands.slice(0, maximumBands).map((group) => (
        <GapBand key={group.key} group={group} />
      ))}
      {bands.length > maximumBands ? <p className={panel.foot}>And {bands.length - maximumBands} more.</p> : null}
    </PanelFrame>
  );
}
