import { memo } from "react";
import { AppLink } from "../../../../ui/buttons/AppLink.tsx";
import { Icon } from "../../../../ui/Icon.tsx";
import { StateGlyph } from "../../../../ui/StatePill.tsx";
import { duration, idTail, nameText, printable } from "../../../../ui/time/format.ts";
import css from "./family.module.css";
import type { FamilyRow as Row, Run, TimeScale } from "./waterfall.ts";

const deepest = 4;

interface FamilyRowProps {
  row: Row;
  index: number;
  href: string;
  scale: TimeScale;
  ticks: readonly number[];
  /** The end of the bars of unfinished tasks. */
  now: number;
  /** Only the task of this page has more than one. */
  runs: readonly Run[];
  isFolded: boolean;
  isTabStop: boolean;
  onFlip: (row: Row) => void;
  onCurrent: (row: Row) => void;
}

export const FamilyRow = memo(function FamilyRow(props: FamilyRowProps) {
  const { row, index, href, scale, ticks, now, runs, isFolded } = props;
  const { node } = row;
  const name = nameText(node.name);
  const span = row.startMs === null ? "waiting" : duration((row.endMs ?? now) - row.fromMs);
  return (
    <tr
      // biome-ignore lint/a11y/noRedundantRoles: with display: grid it loses its implicit role
      role="row"
      className={row.isThis ? css.this : undefined}
      data-row={index}
      tabIndex={props.isTabStop ? 0 : -1}
      aria-level={row.depth + 1}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-expanded={row.hasChildren ? !isFolded : undefined}
      aria-label={`${name} ${idTail(node.task_id)}, ${node.state}, ${span}${row.isThis ? ", this task" : ""}`}
      onFocus={() => props.onCurrent(row)}
    >
      <td role="gridcell">
        <span className={css.node} data-depth={Math.min(row.depth, deepest)}>
          {row.hasChildren ? (
            <button
              type="button"
              className={css.fold}
              tabIndex={-1}
              aria-label={isFolded ? `Expand ${name}` : `Collapse ${name}`}
              onClick={() => props.onFlip(row)}
            >
              <Icon name={isFolded ? "right" : "caret"} />
            </button>
          ) : (
            <span className={css.nofold} />
          )}
          <StateGlyph state={node.state} />
          {row.isThis ? (
            <b className="cut">{name}</b>
          ) : (
            <AppLink className="cut" href={href} tabIndex={-1}>
              {name}
            </AppLink>
          )}
          <span className={`mono lg ${css.dim}`}>{idTail(node.task_id)}</span>
          {row.isThis ? <span className={css.here}>this task</span> : null}
        </span>
      </td>
      <td role="gridcell" className={`${css.engine} ${css.dim}`}>
        {printable(node.engine)}
      </td>
      <td role="gridcell" className="num t2">
        {span}
      </td>
      <td role="gridcell" className={css.wf}>
        <Bar row={row} scale={scale} ticks={ticks} now={now} runs={runs} label={`${name}: ${node.state}, ${span}`} />
      </td>
    </tr>
  );
});

interface BarProps {
  row: Row;
  scale: TimeScale;
  ticks: readonly number[];
  now: number;
  runs: readonly Run[];
  label: string;
}

function Bar({ row, scale, ticks, now, runs, label }: BarProps) {
  const from = scale.at(row.fromMs);
  const start = scale.at(runs[0]?.fromMs ?? row.startMs ?? row.endMs ?? now);
  const end = scale.at(row.endMs ?? now);
  return (
    <svg width="100%" height="20" role="img" aria-label={label}>
      {ticks.map((tick) => (
        <line key={tick} className={css.gl} x1={`${scale.at(tick)}%`} x2={`${scale.at(tick)}%`} y1="-8" y2="28" />
      ))}
      <rect className={css.wait} x={`${from}%`} y="4" width={`${Math.max(0, start - from)}%`} height="12" />
      {runs.length > 0 ? <line className={css.between} x1={`${start}%`} x2={`${end}%`} y1="10" y2="10" /> : null}
      {(runs.length > 0 ? runs : ownRun(row, now)).map((run) => (
        <rect
          key={run.fromMs}
          className={row.isCritical ? `${css.r} ${css.crit}` : css.r}
          data-state={run.state}
          x={`${scale.at(run.fromMs)}%`}
          y="4"
          width={`${Math.max(0.4, scale.at(run.toMs) - scale.at(run.fromMs))}%`}
          height="12"
        />
      ))}
      {row.endMs === null ? <line className={css.nowl} x1={`${end}%`} x2={`${end}%`} y1="0" y2="20" /> : null}
      {scale.breaks.map((gap) => (
        <rect key={gap.fromMs} className={css.brk} x={`${gap.at}%`} y="-8" width="1.5%" height="38" />
      ))}
    </svg>
  );
}

function ownRun({ node, startMs, endMs }: Row, now: number): Run[] {
  return startMs === null ? [] : [{ fromMs: startMs, toMs: endMs ?? now, state: node.state }];
}
