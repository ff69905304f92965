import type { Agent, Command } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { noteCommand, type RecentCommand } from "../../../shell/rail/recent.ts";
import { agentsQuery } from "../../agents/index.ts";
import { useMayNot } from "../../projects/index.ts";
import { commandQuery } from "../commands/command-queries.ts";
import { type Rule, whyNot } from "../registry/action.ts";
import { type Able, ableAgents, type Capability } from "./able.ts";
import { KeyedRequests } from "./keyed-requests.ts";

interface Wanted {
  engine: string;
  capability: Capability;
  /** The lowest role; operator unless said. */
  role?: "admin";
}

/** Whether somebody may ask for something, and whom: by role, project and what the agents say. The service decides. */
export function useAble(slug: string, { engine, capability, role }: Wanted): Able {
  const { agents, reason } = useAgents(slug, role);
  return reason === null ? ableAgents(agents, engine, capability) : { agents: [], resubmits: false, reason };
}

/** Why it cannot be done here and now: by role, project, agents and the subject itself; null where it can. */
export function useWhyNot<Subject>(slug: string, rule: Rule<Subject>, subject: Subject): string | null {
  const mayNot = useMayNot(slug, rule.role);
  const { agents, reason } = useAgents(slug, rule.role);
  if (mayNot !== null) return mayNot;
  return rule.needs(subject).length === 0 ? rule.guard(subject) : (reason ?? whyNot(rule, subject, agents));
}

/** The agents that may be asked for anything; none, with the reason, while it may not be or they are not known. */
export function useAgents(slug: string, role?: "admin"): { agents: readonly Agent[]; reason: string | null } {
  const held = useMayNot(slug, role);
  const { data, isError } = useQuery(agentsQuery(slug));
  if (held !== null) return { agents: [], reason: held };
  if (data !== undefined) return { agents: data.items, reason: null };
  return { agents: [], reason: isError ? "The agents could not be read" : "Looking which agents are online" };
}

/** The value that was last seen before `isKept`, for as long as that holds: what is asked for again must be the same. */
export function useKept<Value>(value: Value, isKept: boolean): Value {
  const last = useRef(value);
  if (!isKept) last.current = value;
  return last.current;
}

/** A request whose answer has not come, or was lost: what it is made of must stay. */
export const isOpen = ({ isPending, isLost }: { isPending: boolean; isLost: boolean }): boolean => isPending || isLost;

/** What the tray says of a command, and which task it is about. */
export interface Told {
  words: string;
  task?: { engine: string; taskId: string };
  /** The command is one of many, which are one entry. */
  run?: Pick<RecentCommand, "id" | "runAction" | "progress">;
}

/**
 * Makes a command and puts it into the tray. The same request again, after an answer that was lost, is the same command, for as long as its
 * dialog is open. `isLost` until it is known what became of that one.
 */
export function useIssue<Body extends object>(
  slug: string,
  send: (slug: string, body: Body & { idempotency_key: string }) => Promise<Command>,
) {
  const client = useQueryClient();
  const [requests] = useState(() => new KeyedRequests());
  const issue = useMutation({
    mutationFn: ({ body, told }: { body: Body; told: Told }) =>
      requests.send(body, async (keyed) => {
        const command = await send(slug, keyed);
        // Old at once: it may have gone on before this answer came, and that push is over.
        client.setQueryData(commandQuery(slug, command.id).queryKey, command, { updatedAt: 0 });
        const task = told.task ? `${told.task.engine}/${told.task.taskId}` : "";
        noteCommand({ slug, id: command.id, words: told.words, task, ...told.run });
        void client.invalidateQueries({ queryKey: ["commands", slug] });
        return command;
      }),
  });
  return { ...issue, isLost: requests.isAnyLost };
}
