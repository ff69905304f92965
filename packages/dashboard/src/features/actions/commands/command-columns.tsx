import type { Agent, Command } from "@svc/client";
import type { Column } from "../../../ui/tables/columns.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { AgentLink } from "../requests/targets.tsx";
import css from "./commands.module.css";

export const agentColumn = (slug: string, agents: readonly Agent[]): Column<Command> => ({
  header: "Agent",
  className: "lg",
  cell: ({ agent_id: id }) => <AgentLink slug={slug} id={id} agents={agents} />,
});

export const issuedColumn: Column<Command> = {
  header: "Issued",
  className: "num",
  cell: ({ issued_at: at }) => <Age at={at} suffix=" ago" />,
};

export const errorColumn: Column<Command> = {
  header: "Error",
  className: "lg",
  cellClass: `t2 ${css.line}`,
  title: ({ error }) => (error ? printable(error) : undefined),
  cell: ({ error }) => (error ? printable(error) : "–"),
};
