import { AppLink } from "../buttons/AppLink.tsx";
import { Glyph } from "../Icon.tsx";
import { printable } from "../time/format.ts";
import { spanText, useZone } from "../time/instants.ts";
import css from "./gap-band.module.css";
import { type GapGroup, lostText, onlyAgent, whoText, whyText } from "./gaps.ts";

interface GapBandProps {
  group: GapGroup;
  /** The link's target: one agent, or all with null. Omitted on the agent's own page. */
  agentHref?: (agentId: string | null) => string;
  /** What the loss means here; default: the text for lists. */
  meaning?: string;
  /** Renders it as a row of a `role=grid` that spans `columns`; `top` is its position in a virtual list, in pixels. */
  grid?: { columns: number; rowIndex?: number; top?: number };
}

/** A range of lost events as a band between rows: how many, when, which agent, why, and what it means for the rows. */
export function GapBand({ group, agentHref, meaning = rowsMeaning, grid }: GapBandProps) {
  const { zone } = useZone();
  const agent = onlyAgent(group);
  const band = (
    <div className={css.gap}>
      <Glyph name="unknown" />
      <span className={css.text}>
        <b>{lostText(group)}</b> {spanText(group.fromMs, group.toMs, zone)}
        {agentHref ? `, ${whoText(group)}` : ""}, {whyText(group)}. <span className="lg">{meaning}</span>
      </span>
      {agentHref ? (
        <AppLink href={agentHref(agent?.agentId ?? null)}>
          {agent === null ? "Agents" : `Agent ${printable(agent.agentName)}`}
        </AppLink>
      ) : null}
    </div>
  );
  if (grid === undefined) return band;
  const { columns, rowIndex, top } = grid;
  return (
    <div
      role="row"
      aria-rowindex={rowIndex}
      className={top === undefined ? undefined : css.placed}
      style={top === undefined ? undefined : { transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" aria-colspan={columns}>
        {band}
      </div>
    </div>
  );
}

const rowsMeaning = "Tasks from this time may be missing or have an unknown outcome.";
