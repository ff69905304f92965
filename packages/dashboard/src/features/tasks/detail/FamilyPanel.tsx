import type { Task } from "@svc/client";
import { type RefCallback, useCallback, useMemo, useState } from "react";
import { paths } from "../../../paths.ts";
import { AppLink } from "../../../ui/AppLink.tsx";
import { Bones, Failed } from "../../../ui/Feedback.tsx";
import { duration, idTail, nameText, printable } from "../../../ui/format.ts";
import { useZone } from "../../../ui/instants.ts";
import panel from "../../../ui/panel.module.css";
import { ScrollBox } from "../../../ui/ScrollBox.tsx";
import { StateGlyph } from "../../../ui/StatePill.tsx";
import { useNow } from "../../../ui/ticker.ts";
import css from "./family.module.css";
import { clearTicks, ticksOf, tickText } from "./lifecycle.ts";
import task from "./task.module.css";
import type { TaskDetail } from "./use-task-detail.ts";
import { type FamilyRow, familyRows, foldedScale, type TimeScale } from "./waterfall.ts";

const deepest = 4;
/** Of a label on the axis, in its 11 px type. */
const letterPx = 6.5;
const labelGapPx = 8;

/** The width of what the second member is given to as its ref, in CSS pixels; 0 before it is there. */
function useWidth(): [number, RefCallback<Element>] {
  const [width, setWidth] = useState(0);
  const measure = useCallback((element: Element | null) => {
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [width, measure];
}

export function FamilyPanel({ slug, of, detail }: { slug: string; of: Task; detail: TaskDetail }) {
  const { treeQuery } = detail;
  const tree = treeQuery.data;
  const now = useNow();
  const { zone } = useZone();
  const rows = useMemo(() => familyRows(tree?.nodes ?? [], of.engine, of.task_id), [tree, of.engine, of.task_id]);
  const scale = useMemo(() => foldedScale(rows, now), [rows, now]);
  const [axisPx, axis] = useWidth();
  const allTicks = ticksOf(scale.fromMs, scale.toMs, 5);
  const labelPx = letterPx * Math.max(0, ...allTicks.map((tick) => tickText(tick, allTicks, zone).length)) + labelGapPx;
  // A folded scale brings ticks together that are far apart in time.
  const ticks = clearTicks(allTicks, scale.at, (100 * labelPx) / Math.max(1, axisPx));
  const engines = new Set(rows.map((row) => row.node.engine)).size;
  const head = (
    <header>
      <h2 id="h-family">Family</h2>
      <span className="t3">
        {rows.length > 0
          ? `${rows.length} ${rows.length === 1 ? "task" : "tasks"}${engines > 1 ? `, ${engines} engines` : ""}`
          : ""}
      </span>
      <span className="grow" />
      {rows.length > 1 ? <Legend /> : null}
    </header>
  );
  if (rows.length < 2) {
    return (
      <section className={`${panel.panel} ${task.wide}`} id="family" aria-labelledby="h-family">
        {head}
        {treeQuery.isError && !tree ? (
          <Failed
            title="The family could not be read"
            error={treeQuery.error}
            onRetry={() => void treeQuery.refetch()}
          />
        ) : treeQuery.isPending ? (
          <Bones rows={2} label="Loading the family" />
        ) : (
          <p className={task.empty}>It has no parent and no children.</p>
        )}
      </section>
    );
  }
  return (
    <section className={`${panel.panel} ${task.wide}`} id="family" aria-labelledby="h-family">
      {head}
      <ScrollBox label="Family with waterfall">
        <table className={css.fam}>
          <thead>
            <tr>
              <th>Task</th>
              <th className="lg">Engine</th>
              <th className={`num ${css.span}`}>Span</th>
              <th className={css.wf}>
                <span className="vh">Waterfall</span>
                <svg ref={axis} className={css.axis} width="100%" height="16" aria-hidden="true">
                  {ticks.map((tick) => (
                    <text key={tick} x={`${scale.at(tick)}%`}>
                      {tickText(tick, allTicks, zone)}
                    </text>
                  ))}
                </svg>
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={`${row.node.engine} ${row.node.task_id}`}
                slug={slug}
                row={row}
                scale={scale}
                ticks={ticks}
                now={now}
              />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {tree?.truncated ? <p className={panel.foot}>Truncated: a family is shown with at most 500 tasks.</p> : null}
      {scale.breaks.length > 0 ? (
        <p className={panel.foot}>
          Folded:{" "}
          {scale.breaks
            .map((gap) => `${duration(gap.toMs - gap.fromMs)} in which nothing of the family ran`)
            .join(", ")}
          .
        </p>
      ) : null}
    </section>
  );
}

function Row({
  slug,
  row,
  scale,
  ticks,
  now,
}: {
  slug: string;
  row: FamilyRow;
  scale: TimeScale;
  ticks: number[];
  now: number;
}) {
  const { node } = row;
  const name = nameText(node.name);
  const endMs = row.endMs ?? now;
  const span = row.startMs === null ? "waits" : duration(endMs - row.fromMs);
  return (
    <tr className={row.isThis ? css.this : undefined}>
      <td>
        <span className={css.node} data-depth={Math.min(row.depth, deepest)}>
          <StateGlyph state={node.state} />
          {row.isThis ? (
            <b className="cut">{name}</b>
          ) : (
            <AppLink className="cut" href={paths.task(slug, node.engine, node.task_id)}>
              {name}
            </AppLink>
          )}
          <span className={`mono lg ${css.dim}`}>{idTail(node.task_id)}</span>
          {row.isThis ? <span className={css.here}>this task</span> : null}
        </span>
      </td>
      <td className={`lg ${css.dim}`}>{printable(node.engine)}</td>
      <td className="num t2">{span}</td>
      <td className={css.wf}>
        <Bar row={row} scale={scale} ticks={ticks} now={now} label={`${name}: ${node.state}, ${span}`} />
      </td>
    </tr>
  );
}

function Bar({
  row,
  scale,
  ticks,
  now,
  label,
}: {
  row: FamilyRow;
  scale: TimeScale;
  ticks: number[];
  now: number;
  label: string;
}) {
  const from = scale.at(row.fromMs);
  const start = scale.at(row.startMs ?? row.endMs ?? now);
  const end = scale.at(row.endMs ?? now);
  return (
    <svg width="100%" height="20" role="img" aria-label={label}>
      {ticks.map((tick) => (
        <line key={tick} className={css.gl} x1={`${scale.at(tick)}%`} x2={`${scale.at(tick)}%`} y1="-8" y2="28" />
      ))}
      <rect className={css.wait} x={`${from}%`} y="4" width={`${Math.max(0, start - from)}%`} height="12" />
      {row.startMs === null ? null : (
        <rect
          className={row.isCritical ? `${css.r} ${css.crit}` : css.r}
          data-state={row.node.state}
          x={`${start}%`}
          y="4"
          width={`${Math.max(0.4, end - start)}%`}
          height="12"
        />
      )}
      {row.endMs === null ? <line className={css.nowl} x1={`${end}%`} x2={`${end}%`} y1="0" y2="20" /> : null}
      {scale.breaks.map((gap) => (
        <rect key={gap.fromMs} className={css.brk} x={`${gap.at}%`} y="-8" width="1.5%" height="38" />
      ))}
    </svg>
  );
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
