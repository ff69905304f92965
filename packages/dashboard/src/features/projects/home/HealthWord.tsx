import type { ProjectHealth } from "@svc/client";
import { Glyph } from "../../../ui/Icon.tsx";
import css from "./health.module.css";

const marks: Record<ProjectHealth, { glyph: string; says: string }> = {
  healthy: { glyph: "success", says: "All agents are online, and at most 5 % of the tasks failed" },
  degraded: { glyph: "half", says: "An agent is offline, a command waits, or more than 5 % of the tasks failed" },
  offline: { glyph: "failure", says: "No agent is online" },
  idle: { glyph: "pending", says: "No agent was ever there" },
};

/** How a project is: glyph and word. */
export function HealthWord({ health }: { health: ProjectHealth }) {
  return (
    <span className={css.health} data-health={health} title={marks[health].says}>
      <Glyph name={marks[health].glyph} />
      {health}
    </span>
  );
}
