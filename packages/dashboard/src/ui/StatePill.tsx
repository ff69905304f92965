import type { AgentState, Priority, TaskState, Worker } from "@svc/client";
import { Glyph } from "./Icon.tsx";
import css from "./pill.module.css";

export interface Look {
  /** Which state's colours. */
  tone: TaskState;
  glyph: string;
}

const fleetLooks: Record<AgentState | Worker["state"], Look> = {
  online: { tone: "success", glyph: "success" },
  offline: { tone: "failure", glyph: "failure" },
  draining: { tone: "retry", glyph: "retry" },
  unknown: { tone: "unknown", glyph: "unknown" },
};

/** `look` says in which state's colours. */
export function Pill({ word, look, bare }: { word: string; look: Look; bare?: boolean | undefined }) {
  return (
    <span className={bare ? `${css.pill} ${css.bare}` : css.pill} data-state={look.tone} data-glyph={look.glyph}>
      <Glyph name={look.glyph} />
      <span>{word}</span>
    </span>
  );
}

/** `bare` drops the fill, for small tables in which one state repeats; never the glyph or the word. */
export function StatePill({ state, bare }: { state: TaskState; bare?: boolean }) {
  return <Pill word={state} look={{ tone: state, glyph: state }} bare={bare} />;
}

export function FleetPill({ state, bare }: { state: string; bare?: boolean }) {
  const look = fleetLooks[state as AgentState] ?? fleetLooks.unknown;
  return <Pill word={state} look={look} bare={bare} />;
}

/** The glyph alone in its ink, with the word for those who do not see it. */
export function StateGlyph({ state }: { state: TaskState }) {
  return (
    <span className={css.ink} data-state={state}>
      <Glyph name={state} />
      <span className="vh">{state}</span>
    </span>
  );
}

/** Nothing for normal: most tasks are. Priority never takes a state's colour. */
export function PriorityMark({ priority }: { priority: Priority }) {
  if (priority === "normal") return null;
  return (
    <span className={priority === "critical" ? `${css.prio} ${css.crit}` : css.prio} title={`${priority} priority`}>
      <Glyph name={priority} />
      <span className="vh">{priority} priority</span>
    </span>
  );
}
