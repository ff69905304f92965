import { type Agent, type Command, plural } from "@svc/client";
import type { ReactNode } from "react";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { idTail, nameText, printable } from "../../../ui/time/format.ts";

/** The engine in the payload of a command; null if the payload has none or is hidden from the user. */
function engineOf({ payload }: Command): string | null {
  const filter = payload.filter as { engine?: unknown } | undefined;
  const engine = payload.engine ?? filter?.engine;
  return typeof engine === "string" ? engine : null;
}

/** The target of a command, with a link if it has a page. */
export function Target({ slug, command }: { slug: string; command: Command }): ReactNode {
  const { target_type: type, target_id: id } = command;
  const engine = engineOf(command);
  if (id === null) return <span className="t2">{countOf(command) ?? printable(type)}</span>;
  if (type === "task" && engine !== null) {
    return (
      <AppLink className="mono" href={paths.task(slug, engine, id)}>
        {printable(id)}
      </AppLink>
    );
  }
  if (type === "queue" && engine !== null)
    return <AppLink href={paths.queue(slug, engine, id)}>{nameText(id)}</AppLink>;
  if (type === "schedule") return <AppLink href={paths.schedule(slug, id)}>Schedule</AppLink>;
  return <span className={type === "task" ? "mono" : undefined}>{nameText(id)}</span>;
}

function countOf({ payload }: Command): string | null {
  const ids = (payload.filter as { task_ids?: unknown } | undefined)?.task_ids;
  return Array.isArray(ids) ? plural(ids.length, "task") : null;
}

/** A link to the agent of a command, by name. */
export function AgentLink({
  slug,
  id,
  agents,
}: {
  slug: string;
  id: string | null;
  agents: readonly Agent[];
}): ReactNode {
  if (id === null) return <span className="t3">none</span>;
  const agent = agents.find((one) => one.id === id);
  return <AppLink href={paths.agent(slug, id)}>{agent ? nameText(agent.name) : idTail(id)}</AppLink>;
}

const stuckMs = 60_000;

/** Why a command has been waiting for over a minute; null before that. */
export function stuckReason(command: Command, agents: readonly Agent[], now: number): string | null {
  if (command.status !== "pending" || now - Date.parse(command.issued_at) < stuckMs) return null;
  const agent = agents.find(({ id }) => id === command.agent_id);
  if (agent === undefined) return "its agent was revoked";
  return agent.state === "online" ? "its agent is online but has not fetched it" : "its agent is offline";
}
