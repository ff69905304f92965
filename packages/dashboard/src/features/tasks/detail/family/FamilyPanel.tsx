import { plural, type Task } from "@svc/client";
import { type KeyboardEvent, useCallback, useMemo, useRef, useState } from "react";
import { useGo } from "../../../../ui/buttons/AppLink.tsx";
import { PanelFrame } from "../../../../ui/panels/PanelFrame.tsx";
import panel from "../../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../../ui/panels/QueryBoundary.tsx";
import { ScrollBox } from "../../../../ui/panels/ScrollBox.tsx";
import { duration } from "../../../../ui/time/format.ts";
import { useZone } from "../../../../ui/time/instants.ts";
import { useNow } from "../../../../ui/time/ticker.ts";
import type { Attempt } from "../attempts/attempts.ts";
import { clearTicks, ticksOf, tickText } from "../history/lifecycle.ts";
import task from "../task.module.css";
import type { TaskDetail } from "../use-task-detail.ts";
import { FamilyRow } from "./FamilyRow.tsx";
import css from "./family.module.css";
import { useWidth } from "./use-width.ts";
import {
  familyRows,
  foldedScale,
  type FamilyRow as Row,
  type Run,
  runsOf,
  type TimeScale,
  treeStep,
  visibleRows,
} from "./waterfall.ts";

/** Estimated character width of an axis label in its 11 px font. */
const characterPx = 6.5;
const labelGapPx = 8;

interface FamilyPanelProps {
  of: Task;
  detail: TaskDetail;
  /** The URL of another task in the family. */
  hrefOf: (engine: string, taskId: string) => string;
}

export function FamilyPanel({ of, detail, hrefOf }: FamilyPanelProps) {
  const { treeQuery } = detail;
  const tree = treeQuery.data;
  const rows = useMemo(() => familyRows(tree?.nodes ?? [], of.engine, of.task_id), [tree, of.engine, of.task_id]);
  const engines = new Set(rows.map((row) => row.node.engine)).size;
  return (
    <PanelFrame
      id="family"
      className={`${css.panel} ${task.wide}`}
      title="Family"
      note={rows.length > 0 ? `${plural(rows.length, "task")}${engines > 1 ? `, ${engines} engines` : ""}` : ""}
      actions={<Legend />}
    >
      <QueryBoundary name="The family" read={treeQuery} rows={2} isQuiet>
        <FamilyTree rows={rows} attempts={detail.attempts} hrefOf={hrefOf} />
        {tree?.truncated ? <p className={panel.foot}>Only the first 500 tasks of the family are shown.</p> : null}
      </QueryBoundary>
    </PanelFrame>
  );
}

interface FamilyTreeProps {
  rows: readonly Row[];
  /** The attempts of the page's task. */
  attempts: readonly Attempt[];
  hrefOf: FamilyPanelProps["hrefOf"];
}

const noRuns: readonly Run[] = [];

/** A tree and a waterfall with one row per task. Keyboard behavior follows the ARIA treegrid pattern. */
function FamilyTree({ rows, attempts, hrefOf }: FamilyTreeProps) {
  const go = useGo();
  const body = useRef<HTMLTableSectionElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [currentKey, setCurrentKey] = useState<string | null>(null);
  const clock = useNow();
  // A finished family needs no clock.
  const now = rows.some((row) => row.endMs === null) ? clock : 0;
  const scale = useMemo(() => foldedScale(rows, now), [rows, now]);
  const runs = useMemo(() => runsOf(attempts, now), [attempts, now]);
  const [axisPx, axis] = useWidth();
  const { ticks, labels } = useAxis(scale, axisPx, now > 0);
  const visible = useMemo(() => visibleRows(rows, folded), [rows, folded]);
  const current = visible.find((row) => row.key === currentKey) ?? visible.find((row) => row.isThis) ?? visible[0];

  const flip = useCallback((row: Row) => {
    setFolded((old) => {
      const next = new Set(old);
      if (!next.delete(row.key)) next.add(row.key);
      return next;
    });
  }, []);
  const onCurrent = useCallback((row: Row) => setCurrentKey(row.key), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (!(event.target instanceof HTMLTableRowElement)) return;
    const step = treeStep(visible, Number(event.target.dataset.row), event.key, folded);
    if (!step) return;
    event.preventDefault();
    if ("to" in step) body.current?.querySelector<HTMLElement>(`[data-row="${visible.indexOf(step.to)}"]`)?.focus();
    else if ("flip" in step) flip(step.flip);
    else if (!step.open.isThis) go(hrefOf(step.open.node.engine, step.open.node.task_id));
  };

  return (
    <>
      <ScrollBox label="Family with waterfall">
        <table className={css.fam} role="treegrid" aria-label="Family of this task with waterfall">
          <thead>
            {/* biome-ignore lint/a11y/noRedundantRoles: with display: grid it loses its implicit role */}
            <tr role="row">
              <th role="columnheader">Task</th>
              <th role="columnheader" className={css.engine}>
                Engine
              </th>
              <th role="columnheader" className={`num ${css.span}`}>
                Span
              </th>
              <th role="columnheader" className={css.wf}>
                <span className="vh">Waterfall</span>
                <svg ref={axis} className={css.axis} width="100%" height="16" aria-hidden="true">
                  {labels.map((label) => (
                    <text key={label.text} x={`${label.at}%`} textAnchor={label.at >= 100 ? "end" : "start"}>
                      {label.text}
                    </text>
                  ))}
                </svg>
              </th>
            </tr>
          </thead>
          <tbody ref={body} onKeyDown={onKeyDown}>
            {visible.map((row, index) => (
              <FamilyRow
                key={row.key}
                row={row}
                index={index}
                href={hrefOf(row.node.engine, row.node.task_id)}
                scale={scale}
                ticks={ticks}
                now={now}
                runs={row.isThis ? runs : noRuns}
                isFolded={folded.has(row.key)}
                isTabStop={row === current}
                onFlip={flip}
                onCurrent={onCurrent}
              />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {scale.breaks.length > 0 ? (
        <p className={panel.foot}>
          Collapsed:{" "}
          {scale.breaks
            .map((gap) => `${duration(gap.toMs - gap.fromMs)} in which no task of the family ran`)
            .join(", ")}
          .
        </p>
      ) : null}
    </>
  );
}

/** The positions of grid lines, and the labels that fit: a collapsed scale moves distant ticks close together. */
function useAxis(scale: TimeScale, widthPx: number, isOpen: boolean) {
  const { zone } = useZone();
  return useMemo(() => {
    const percentOf = (text: string) => (100 * (characterPx * text.length + labelGapPx)) / Math.max(1, widthPx);
    const all = ticksOf(scale.fromMs, scale.toMs, 5);
    const widest = Math.max(0, ...all.map((tick) => percentOf(tickText(tick, all, zone))));
    const taken = scale.breaks.map((gap) => {
      const text = `${duration(gap.toMs - gap.fromMs)} idle collapsed`;
      return { at: gap.at, to: gap.at + percentOf(text), text };
    });
    const gapLabels = taken.filter((one, at) => one.to <= 100 && one.at >= (taken[at - 1]?.to ?? 0));
    const end = isOpen ? 100 - percentOf("now") : 100;
    const ticks = clearTicks(all, scale.at, widest).filter((tick) => {
      const at = scale.at(tick);
      return at + widest <= end && gapLabels.every((one) => at + widest <= one.at || at >= one.to);
    });
    const labels = [
      ...ticks.map((tick) => ({ at: scale.at(tick), text: tickText(tick, all, zone) })),
      ...gapLabels,
      ...(isOpen ? [{ at: 100, text: "now" }] : []),
    ];
    return { ticks, labels };
  }, [scale, widthPx, isOpen, zone]);
}

function Legend() {
  return (
    <span className={`${css.key} lg`}>
      <svg width="20" height="10" aria-hidden="true">
        <rect className={css.wait} width="20" height="10" />
      </svg>
      wait
      <svg width="20" height="10" aria-hidden="true">
        <rect className={css.kr} width="20" height="10" />
      </svg>
      run
      <svg width="20" height="10" aria-hidden="true">
        <rect className={css.kc} x=".75" y=".75" width="18.5" height="8.5" />
      </svg>
      critical path
    </span>
  );
}
