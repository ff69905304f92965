import type { Task } from "@svc/client";
import { useState } from "react";
import { paths } from "../../../../address/paths.ts";
import { GapBand } from "../../../../ui/gap-band/GapBand.tsx";
import type { LossGap } from "../../../../ui/gap-band/gaps.ts";
import { gapGroups, gapsWithin } from "../../../../ui/gap-band/gaps.ts";
import { useGaps } from "../../../agents/index.ts";
import { reachedRange } from "../../following/reach.ts";
import css from "../task.module.css";

/** Gaps closer together than this are shown as one. */
const joinMs = 60_000;
const mostBands = 3;

/** Event gaps during a task's lifetime. */
export function useTaskGaps(slug: string, task: Task): LossGap[] {
  const fromMs = Date.parse(task.received_at);
  const endMs = task.finished_at ? Date.parse(task.finished_at) : null;
  // For an unfinished task the end is now, which the server knows better.
  const until = endMs === null ? undefined : new Date(endMs + 1000).toISOString();
  const [openedMs] = useState(Date.now);
  const { gaps } = useGaps(slug, reachedRange({ since: task.received_at, until }, openedMs, 0));
  return gapsWithin(gaps, fromMs, endMs ?? Number.POSITIVE_INFINITY);
}

/** Bands for lost events, as steps of the task may be missing there. */
export function TaskGaps({ slug, gaps }: { slug: string; gaps: readonly LossGap[] }) {
  const groups = gapGroups(gaps, joinMs);
  if (groups.length === 0) return null;
  return (
    <section className={css.gaps} aria-label="Lost events">
      {groups.slice(0, mostBands).map((group) => (
        <GapBand
          key={group.key}
          group={group}
          meaning="Steps of this task may be missing."
          agentHref={(agentId) => (agentId === null ? paths.agents(slug) : paths.agent(slug, agentId))}
        />
      ))}
      {groups.length > mostBands ? <p className="t3">And {groups.length - mostBands} earlier.</p> : null}
    </section>
  );
}
