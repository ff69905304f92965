import type { Task } from "@svc/client";
import { useState } from "react";
import { paths } from "../../../paths.ts";
import { GapBand } from "../../../ui/gap-band/GapBand.tsx";
import { gapGroups, gapsWithin } from "../../../ui/gap-band/gaps.ts";
import { useGaps } from "../../agents/use-gaps.ts";
import css from "./task.module.css";

/** Losses that stand closer than this are told as one. */
const joinMs = 60_000;
const dayMs = 86_400_000;
/** The API looks at no longer stretch than 90 days. */
const longestMs = 89 * dayMs;
const mostBands = 3;

/** Where events were lost while the task lived: what is shown of it may lack steps. */
export function TaskGaps({ slug, task }: { slug: string; task: Task }) {
  const fromMs = Date.parse(task.received_at);
  const endMs = task.finished_at ? Date.parse(task.finished_at) : null;
  // Of a task that goes on the end is the present, which the API knows better.
  const until = endMs === null ? undefined : new Date(endMs + 1000).toISOString();
  const [openedMs] = useState(Date.now);
  const sinceMs = Math.max(fromMs, (endMs ?? openedMs) - longestMs);
  const { gaps } = useGaps(slug, { since: new Date(sinceMs).toISOString(), until });
  const groups = gapGroups(gapsWithin(gaps, fromMs, endMs ?? Number.POSITIVE_INFINITY), joinMs);
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
