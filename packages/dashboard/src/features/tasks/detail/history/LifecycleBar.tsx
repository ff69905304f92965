import type { Task } from "@svc/client";
import { chartGaps, type LossGap } from "../../../../ui/gap-band/gaps.ts";
import { duration } from "../../../../ui/time/format.ts";
import { clockText, useZone } from "../../../../ui/time/instants.ts";
import { useNow } from "../../../../ui/time/ticker.ts";
import type { Attempt } from "../attempts/attempts.ts";
import { useWidth } from "../family/use-width.ts";
import css from "../task.module.css";
import { type Lifecycle, lifecycleOf, type Segment, ticksOf, tickText } from "./lifecycle.ts";

/** Estimated width of a label in the bar's 11 px font, with padding. */
const wordPx = (word: string) => 6.5 * word.length + 8;

interface LifecycleBarProps {
  task: Task;
  attempts: readonly Attempt[];
  /** Where events were lost during the task's lifetime. */
  gaps: readonly LossGap[];
}

/** Wait, runs and backoffs on a real time scale, with bands where events may be missing. */
export function LifecycleBar({ task, attempts, gaps }: LifecycleBarProps) {
  const now = useNow();
  const { zone } = useZone();
  const [widthPx, measure] = useWidth();
  const life = lifecycleOf(task, attempts, now);
  // Leaves space at the end, so that the last label and the end mark are not cut off.
  const span = (life.toMs - life.fromMs) * 1.04;
  const at = (ms: number) => ((ms - life.fromMs) / span) * 100;
  const ticks = ticksOf(life.fromMs, life.toMs, Math.max(2, Math.floor(widthPx / 150))).filter((tick) => at(tick) < 97);
  const firstRun = life.segments.find((segment) => segment.kind === "run");
  const endX = at(life.endMs ?? life.toMs);
  const px = (percent: number) => (percent / 100) * widthPx;
  const endText = life.endMs === null ? "" : endWord(task);
  const startX = firstRun ? at(firstRun.fromMs) : 0;
  const hasRoomToStart = px(startX) > wordPx("received");
  const hasRoomToEnd = px(endX) > wordPx("received") + wordPx(endText);
  const hasStart =
    firstRun && hasRoomToStart && px((life.etaMs === null ? endX : 100) - startX) > wordPx("started") + wordPx(endText);
  const losses = chartGaps(gaps, { fromMs: life.fromMs, toMs: life.toMs });
  const runs = life.segments.filter((segment) => segment.kind === "run").length;

  return (
    <div className={css.lifewrap}>
      <svg
        ref={measure}
        className={css.lifebig}
        width="100%"
        height="56"
        role="img"
        aria-label={[sentence(task, life, zone), ...losses.map((loss) => loss.label)].join("; ")}
      >
        {ticks.map((tick, index) => (
          <g key={tick}>
            <line className={css.gl} x1={`${at(tick)}%`} x2={`${at(tick)}%`} y1="16" y2="40" />
            <text x={`${at(tick)}%`} y="53" textAnchor={index === 0 && at(tick) < 4 ? "start" : "middle"}>
              {tickText(tick, ticks, zone)}
            </text>
          </g>
        ))}
        {life.segments.map((segment) => (
          <SegmentMark
            key={`${segment.kind} ${segment.fromMs}`}
            segment={segment}
            at={at}
            px={px}
            isNumbered={runs > 1}
          />
        ))}
        {losses.map((loss) => (
          <rect
            key={loss.fromMs}
            className={css.unsure}
            x={`${at(loss.fromMs)}%`}
            width={`${Math.max(0.4, at(loss.toMs) - at(loss.fromMs))}%`}
            y="16"
            height="24"
          >
            <title>{loss.label}</title>
          </rect>
        ))}
        <text className={css.ev} x="0" y="12">
          received
        </text>
        {firstRun && hasStart ? (
          <text className={css.ev} x={`${at(firstRun.fromMs)}%`} y="12" dx="2">
            started
          </text>
        ) : null}
        {life.endMs === null ? null : (
          <>
            {hasRoomToEnd ? (
              <text className={css.ev} x={`${endX}%`} y="12" textAnchor="end">
                {endText}
              </text>
            ) : null}
            <line className={css.end} x1={`${endX}%`} x2={`${endX}%`} y1="14" y2="40" />
          </>
        )}
        {life.nowMs === null ? null : <NowMark at={at} nowMs={life.nowMs} etaMs={life.etaMs} />}
      </svg>
    </div>
  );
}

/** The current time and, if the task has a future ETA, the time until then. */
function NowMark({ at, nowMs, etaMs }: { at: (ms: number) => number; nowMs: number; etaMs: number | null }) {
  const x = `${at(nowMs)}%`;
  return (
    <>
      <line className={css.now} x1={x} x2={x} y1="14" y2="40" />
      {etaMs === null ? null : (
        <>
          <line className={css.ahead} x1={x} x2={`${at(etaMs)}%`} y1="28" y2="28" />
          <line className={css.end} x1={`${at(etaMs)}%`} x2={`${at(etaMs)}%`} y1="18" y2="38" />
          <text className={css.ev} x={`${at(etaMs)}%`} y="12" textAnchor="end">
            earliest start in {duration(etaMs - nowMs)}
          </text>
        </>
      )}
    </>
  );
}

interface SegmentMarkProps {
  segment: Segment;
  at: (ms: number) => number;
  px: (percent: number) => number;
  isNumbered: boolean;
}

function SegmentMark({ segment, at, px, isNumbered }: SegmentMarkProps) {
  const x = at(segment.fromMs);
  const width = Math.max(0, at(segment.toMs) - x);
  const label = duration(segment.toMs - segment.fromMs);
  const title = `${segment.kind}, ${label}`;
  if (segment.kind === "backoff") {
    return (
      <g>
        <rect className={css.back} x={`${x}%`} y="27" width={`${width}%`} height="2">
          <title>{title}</title>
        </rect>
        {px(width) > wordPx(label) ? (
          <text x={`${x + width / 2}%`} y="24" textAnchor="middle">
            {label}
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
      {isNumbered && segment.kind === "run" && px(width) > 20 ? (
        <text className={css.on} x={`${x + width / 2}%`} y="32" textAnchor="middle">
          {(segment.attempt ?? 0) + 1}
        </text>
      ) : null}
    </g>
  );
}

function endWord(task: Task): string {
  if (task.state === "success") return "succeeded";
  if (task.state === "failure") {
    return task.max_attempts && task.attempt + 1 >= task.max_attempts ? "failed permanently" : "failed";
  }
  return task.state;
}

function sentence(task: Task, life: Lifecycle, zone: string): string {
  const parts = [`Received ${clockText(life.fromMs, zone)}`];
  const wait = life.segments.find((segment) => segment.kind === "wait");
  if (wait) parts.push(`waited ${duration(wait.toMs - wait.fromMs)}`);
  const runs = life.segments.filter((segment) => segment.kind === "run");
  if (runs.length > 0) parts.push(`ran ${runs.map((run) => duration(run.toMs - run.fromMs)).join(", then ")}`);
  if (life.etaMs !== null) parts.push(`earliest start ${clockText(life.etaMs, zone)}`);
  parts.push(life.endMs === null ? `now ${task.state}` : `${endWord(task)} ${clockText(life.endMs, zone)}`);
  return parts.join(", ");
}
