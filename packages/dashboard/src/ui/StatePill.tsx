import type { AgentState, Priority, TaskState, Worker } from "@svc/client";
import { Glyph } from "./Icon.tsx";
import css from "./pill.module.css";

export interface PillStyle {
  /** The state whose colours are used. */
  tone: TaskState;
  glyph: string;
}

const fleetStyles: Record<AgentState | Worker["state"], PillStyle> = {
  online: { tone: "success", glyph: "success" },
  offline: { tone: "failure", glyph: "failure" },
  draining: { tone: "retry", glyph: "retry" },
  unknown: { tone: "unknown", glyph: "unknown" },
};

/** `style` gives colours and glyph. */
export function Pill({ word, style, bare }: { word: string; style: PillStyle; bare?: boolean | undefined }) {
  return (
    <span className={bare ? `${css.pill} ${css.bare}` : css.pill} data-state={style.tone} data-glyph={style.glyph}>
      <Glyph name={style.glyph} />
      <span>{word}</span>
    </span>
  );
}

/** `bare` drops the fill, for small tables where states repeat; glyph and label stay. */
export function StatePill({ state, bare }: { state: TaskState; bare?: boolean }) {
  return <Pill word={state} style={{ tone: state, glyph: state }} bare={bare} />;
}

export function FleetPill({ state, bare }: { state: string; bare?: boolean }) {
  const style = fleetStyles[state as AgentState] ?? fleetStyles.unknown;
  return <Pill word={state} style={style} bare={bare} />;
}

/** The glyph alone, with the label for screen readers. */
export function StateGlyph({ state }: { state: TaskState }) {
  return (
    <span className={css.ink} data-state={state}>
      <Glyph name={state} />
      <span className="vh">{state}</span>
    </span>
  );
}

/** Nothing for normal priority, which most tasks have. Priority never uses a state's colour. */
export function PriorityMark({ priority }: { priority: Priority }) {
  if (priority === "normal") return null;
  return (
    <span className={priority === "critical" ? `${css.prio} ${css.crit}` : css.prio} title={`${priority} priority`}>
      <Glyph name={priority} />
      <span className="vh">{priority} priority</span>
    </span>
  );
}
