import type { ProjectHealth } from "@svc/client";
import { Glyph } from "../../ui/Icon.tsx";
import css from "./health.module.css";

const marks: Record<ProjectHealth, { glyph: string; text: string }> = {
  healthy: { glyph: "success", text: "Agents and workers are online; at most 5 % of tasks failed in 24 h" },
  degraded: {
    glyph: "half",
    text: "An agent or worker is offline, a queue with waiting tasks has no workers, a command has used more than half of its time limit, or more than 5 % of tasks failed in 24 h",
  },
  offline: { glyph: "failure", text: "No agent is online" },
  idle: { glyph: "pending", text: "No agent has connected yet" },
};

/** The health of a project: icon and label. */
export function HealthWord({ health }: { health: ProjectHealth }) {
  return (
    <span className={css.health} data-health={health} title={marks[health].text}>
      <Glyph name={marks[health].glyph} />
      {health}
    </span>
  );
}
