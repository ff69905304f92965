import type { Task } from "@svc/client";
import { useIsPhone } from "../../../ui/appearance.ts";
import { duration } from "../../../ui/format.ts";
import { clockText, useZone } from "../../../ui/instants.ts";
import { useNow } from "../../../ui/ticker.ts";
import type { Attempt } from "./attempts.ts";
import { type Lifecycle, lifecycleOf, type Segment, ticksOf, tickText } from "./lifecycle.ts";
import css from "./task.module.css";

/** Received, wait, runs and pauses on a real time scale. */
export function LifecycleBar({ task, attempts }: { task: Task; attempts: readonly Attempt[] }) {
  const now = useNow();
  const { zone } = useZone();
  const isPhone = useIsPhone();
  const life = lifecycleOf(task, attempts, now);
  // A little room at the end, so that the last label and the end mark are not cut.
  const span = (life.toMs - life.fromMs) * 1.04;
  const at = (ms: number) => ((ms - life.fromMs) / span) * 100;
  const ticks = ticksOf(life.fromMs, life.toMs, isPhone ? 3 : 7).filter((tick) => at(tick) < 97);
  const firstRun = life.segments.find((segment) => segment.kind === "run");
  const endX = at(life.endMs ?? life.toMs);
  const hasRoom =
    firstRun && at(firstRun.fromMs) > (isPhone ? 16 : 5) && endX - at(firstRun.fromMs) > (isPhone ? 40 : 12);
  const runs = life.segments.filter((segment) => segment.kind === "run").length;

  return (
    <div className={css.lifewrap}>
      <svg className={css.lifebig} width="100%" height="56" role="img" aria-label={sentence(task, life, zone)}>
        {ticks.map((tick, index) => (
          <g key={tick}>
            <line className={css.gl} x1={`${at(tick)}%`} x2={`${at(tick)}%`} y1="16" y2="40" />
            <text x={`${at(tick)}%`} y="53" textAnchor={index === 0 && at(tick) < 4 ? "start" : "middle"}>
              {tickText(tick, ticks, zone)}
            </text>
          </g>
        ))}
        {life.segments.map((segment) => (
          <SegmentMark key={`${segment.kind} ${segment.fromMs}`} segment={segment} at={at} isNumbered={runs > 1} />
        ))}
        <text className={css.ev} x="0" y="12">
          received
        </text>
        {firstRun && hasRoom ? (
          <text className={css.ev} x={`${at(firstRun.fromMs)}%`} y="12" dx="2">
            started
          </text>
        ) : null}
        {life.endMs === null ? null : (
          <>
            {endX > (isPhone ? 40 : 14) ? (
              <text className={css.ev} x={`${endX}%`} y="12" textAnchor="end">
                {endWord(task)}
              </text>
            ) : null}
            <line className={css.end} x1={`${endX}%`} x2={`${endX}%`} y1="14" y2="40" />
          </>
        )}
        {life.etaMs === null ? null : (
          <>
            <line className={css.gl} x1={`${at(life.etaMs)}%`} x2={`${at(life.etaMs)}%`} y1="14" y2="40" />
            <text className={css.ev} x={`${at(life.etaMs)}%`} y="12" textAnchor="end">
              not before
            </text>
          </>
        )}
      </svg>
    </div>
  );
}

interface SegmentMarkProps {
  segment: Segment;
  at: (ms: number) => number;
  isNumbered: boolean;
}

function SegmentMark({ segment, at, isNumbered }: SegmentMarkProps) {
  const x = at(segment.fromMs);
  const width = Math.max(0, at(segment.toMs) - x);
  const title = `${segment.kind}, ${duration(segment.toMs - segment.fromMs)}`;
  if (segment.kind === "backoff") {
    return (
      <g>
        <rect className={css.back} x={`${x}%`} y="27" width={`${width}%`} height="2">
          <title>{title}</title>
        </rect>
        {width > 5 ? (
          <text x={`${x + width / 2}%`} y="24" textAnchor="middle">
            {duration(segment.toMs - segment.fromMs)}
          </text>
        ) : null}
      </g>
    );
  }
  const look = segment.kind === "wait" ? css.wait : segment.kind === "lost" ? css.lost : css.run;
  return (
    <g data-state={segment.state}>
      <rect
        className={look}
        x={`${x}%`}
        y="20"
        width={`${Math.max(0.25, width)}%`}
        height="16"
        rx={segment.kind === "run" ? 1 : 0}
      >
        <title>{title}</title>
      </rect>
      {isNumbered && segment.kind === "run" && width > 2 ? (
        <text className={css.on} x={`${x + width / 2}%`} y="32" textAnchor="middle">
          {(segment.attempt ?? 0) + 1}
        </text>
      ) : null}
    </g>
  );
}

function endWord(task: Task): string {
  if (task.state === "success") return "succeeded";
  if (task.state === "failure") return "failed";
  return task.state;
}

function sentence(task: Task, life: Lifecycle, zone: string): string {
  const parts = [`Received ${clockText(life.fromMs, zone)}`];
  const wait = life.segments.find((segment) => segment.kind === "wait");
  if (wait) parts.push(`waited ${duration(wait.toMs - wait.fromMs)}`);
  const runs = life.segments.filter((segment) => segment.kind === "run");
  if (runs.length > 0) parts.push(`ran ${runs.map((run) => duration(run.toMs - run.fromMs)).join(", then ")}`);
  parts.push(life.endMs === null ? `now ${task.state}` : `${endWord(task)} ${clockText(life.endMs, zone)}`);
  return parts.join(", ");
}
