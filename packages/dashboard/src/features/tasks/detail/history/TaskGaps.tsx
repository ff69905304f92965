import type { Task } from "@svc/client";
import { useState } from "react";
import { paths } from "../../../../address/paths.ts";
import { GapBand } from "../../../../ui/gap-band/GapBand.tsx";
import type { LossGap } from "../../../../ui/gap-band/gaps.ts";
import { gapGroups, gapsWithin } from "../../../../ui/gap-band/gaps.ts";
import { useGaps } from "../../../agents/losses/use-gaps.ts";
import { reachedRange } from "../../following/reach.ts";
import css from "../task.module.css";

/** Losses that stand closer than this are told as one. */
const joinMs = 60_000;
const mostBands = 3;

/** Losses of events while a task lived. */
export function useTaskGaps(slug: string, task: Task): LossGap[] {
  const fromMs = Date.parse(task.received_at);
  const endMs = task.finished_at ? Date.parse(task.finished_at) : null;
  // Of a task that goes on the end is the present, which the API knows better.
  const until = endMs === null ? undefined : new Date(endMs + 1000).toISOString();
  const [openedMs] = useState(Date.now);
  const { gaps } = useGaps(slug, reachedRange({ since: task.received_at, until }, openedMs, 0));
  return gapsWithin(gaps, fromMs, endMs ?? Number.POSITIVE_INFINITY);
}

/** Where events were lost: what is shown of the task may lack steps. */
export function TaskGaps({ slug, gaps }: { slug: string; gaps: readonly LossGap[] }) {
  const groups = gapGroups(gaps, joinMs);
  if (groups.length === 0) return null;
  return (
    <section className={css.gaps} aria-label="Events lost while it lived">
      {groups.slice(0, mostBands).map((group) => (
        <GapBand
          key={group.key}
          group={group}
          meaning="Steps of this task may be missing."
          agentHref={(agentId) => (agentId === null ? paths.agents(slug) : paths.agent(slug, agentId))}
        />
      ))}
      {groups.length > mostBands ? <p className="t3">And {groups.length - mostBands} earlier times.</p> : null}
    </section>
  );
}
