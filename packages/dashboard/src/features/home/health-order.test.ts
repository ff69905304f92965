import type { HomeProject } from "@svc/client";
import { expect, test } from "vitest";
import { byHealth } from "./health-order.ts";

const project = (name: string, facts: Partial<HomeProject>): HomeProject => ({
  id: name,
  slug: name,
  name,
  environment: "production",
  role: null,
  last_activity_at: null,
  health: "healthy",
  backlog: 0,
  tasks_by_hour: [],
  tasks_24h: 0,
  failures_24h: 0,
  failure_rate_24h: 0,
  workers_online: 0,
  workers_total: 0,
  workers_missing: 0,
  agents_online: 0,
  agents_offline: 0,
  agents_total: 0,
  stuck_commands: 0,
  ...facts,
});

test("projects are ordered by health, then failure rate, then backlog, then name", () => {
  const projects = [
    project("new", { health: "idle" }),
    project("calm b", {}),
    project("calm a", {}),
    project("busy", { backlog: 40 }),
    project("some failures", { failure_rate_24h: 0.01 }),
    project("degraded", { health: "degraded", failure_rate_24h: 0.2 }),
    project("disconnected", { health: "offline" }),
  ];
  expect(byHealth(projects).map(({ name }) => name)).toEqual([
    "disconnected",
    "degraded",
    "some failures",
    "busy",
    "calm a",
    "calm b",
    "new",
  ]);
});
