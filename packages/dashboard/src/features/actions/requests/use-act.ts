import type { Agent, Command } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { noteCommand, type RecentCommand } from "../../../shell/rail/recent.ts";
import { agentsQuery } from "../../agents/index.ts";
import { useMayNot } from "../../projects/index.ts";
import { commandQuery } from "../commands/command-queries.ts";
import { type Rule, whyNot } from "../registry/action.ts";
import { type Capability, type Eligibility, eligibleAgents } from "./eligible-agents.ts";
import { KeyedRequests } from "./keyed-requests.ts";

interface Wanted {
  engine: string;
  capability: Capability;
  /** The minimum role; operator by default. */
  role?: "admin";
}

/** The agents that the user may send a command to, by role, project and capabilities. The service has the last word. */
export function useEligibleAgents(slug: string, { engine, capability, role }: Wanted): Eligibility {
  const { agents, reason } = useAgents(slug, role);
  return reason === null ? eligibleAgents(agents, engine, capability) : { agents: [], resubmits: false, reason };
}

/** Why an action is not possible now, by role, project, agents and subject; null if it is. */
export function useWhyNot<Subject>(slug: string, rule: Rule<Subject>, subject: Subject): string | null {
  const mayNot = useMayNot(slug, rule.role);
  const { agents, reason } = useAgents(slug, rule.role);
  if (mayNot !== null) return mayNot;
  return rule.needs(subject).length === 0 ? rule.guard(subject) : (reason ?? whyNot(rule, subject, agents));
}

/** All agents of the project; none, with the reason, if the user may not use them or they are not loaded. */
export function useAgents(slug: string, role?: "admin"): { agents: readonly Agent[]; reason: string | null } {
  const mayNot = useMayNot(slug, role);
  const { data, isError } = useQuery(agentsQuery(slug));
  if (mayNot !== null) return { agents: [], reason: mayNot };
  if (data !== undefined) return { agents: data.items, reason: null };
  return { agents: [], reason: isError ? "Couldn't load the agents" : "Checking which agents are online" };
}

/** The last value before `isFrozen` became true, for as long as it holds: a repeated request must be the same. */
export function useFrozen<Value>(value: Value, isFrozen: boolean): Value {
  const last = useRef(value);
  if (!isFrozen) last.current = value;
  return last.current;
}

/** Whether a request has no known result yet: its content must not change. */
export const isOpen = ({ isPending, isLost }: { isPending: boolean; isLost: boolean }): boolean => isPending || isLost;

/** The entry of a command in the tray. */
export interface ActivityEntry {
  label: string;
  task?: { engine: string; taskId: string };
  /** Set if the command is one of a run, which has a single entry. */
  run?: Pick<RecentCommand, "id" | "runAction" | "progress">;
}

/**
 * Creates a command and adds it to the tray. Repeating a request whose response was lost is safe while the dialog is open: the key stays the
 * same. `isLost` until its outcome is known.
 */
export function useIssue<Body extends object>(
  slug: string,
  send: (slug: string, body: Body & { idempotency_key: string }) => Promise<Command>,
) {
  const client = useQueryClient();
  const [requests] = useState(() => new KeyedRequests());
  const issue = useMutation({
    mutationFn: ({ body, entry }: { body: Body; entry: ActivityEntry }) =>
      requests.send(body, async (keyed) => {
        const command = await send(slug, keyed);
        // Stale at once: a change event may have come before this response.
        client.setQueryData(commandQuery(slug, command.id).queryKey, command, { updatedAt: 0 });
        const task = entry.task ? `${entry.task.engine}/${entry.task.taskId}` : "";
        noteCommand({ slug, id: command.id, words: entry.label, task, ...entry.run });
        void client.invalidateQueries({ queryKey: ["commands", slug] });
        return command;
      }),
  });
  return { ...issue, isLost: requests.isAnyLost };
}
