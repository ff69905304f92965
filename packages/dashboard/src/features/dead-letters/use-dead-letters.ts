import type { DeadLetter } from "@svc/client";
import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

/** Dead letters as reported by an agent. Never reloaded automatically: each load is an audited command, limited to ten per minute. */
export interface Loaded {
  engine: string;
  queue: string | undefined;
  entries: DeadLetter[];
  nextCursor: string | null;
  total: number | null;
  /** Time of the last loaded page. */
  at: string;
  agentId: string;
  /** Ids of requeue commands by the key of the dead letter: the list is not reloaded after a requeue. */
  requeued: Readonly<Record<string, string>>;
}

export interface DeadLetterQuery {
  engine: string;
  queue: string | undefined;
}

/** The dead letters last loaded in this project, kept while the tab is open. */
export function useDeadLetters(slug: string) {
  const client = useQueryClient();
  const queryKey = ["dead-letters", slug];
  const { data: loaded } = useQuery<Loaded>({
    queryKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const load = useMutation({
    mutationFn: async ({ engine, queue, after }: DeadLetterQuery & { after?: Loaded }) => {
      const before = after ?? client.getQueryData<Loaded>(queryKey);
      const page = await api.listDeadLetters(slug, {
        engine,
        ...(queue !== undefined && { queue }),
        ...(after?.nextCursor && { cursor: after.nextCursor, agent_id: after.agentId }),
      });
      const known = new Set(after?.entries.map(deadLetterKey));
      const next: Loaded = {
        engine,
        queue,
        entries: [...(after?.entries ?? []), ...page.entries.filter((entry) => !known.has(deadLetterKey(entry)))],
        nextCursor: page.next_cursor,
        total: page.total,
        at: new Date().toISOString(),
        agentId: page.agent_id,
        requeued: after?.requeued ?? {},
      };
      // Dead letters may have been requeued during the up to 15 s that the agent took.
      client.setQueryData<Loaded>(queryKey, (now) => ({
        ...next,
        requeued: { ...next.requeued, ...requeuedSince(before, now, next) },
      }));
    },
  });
  const mark = (deadLetter: DeadLetter, commandId: string) =>
    client.setQueryData<Loaded>(
      queryKey,
      (old) => old && { ...old, requeued: { ...old.requeued, [deadLetterKey(deadLetter)]: commandId } },
    );
  return { loaded, load, mark };
}

/** The requeue commands added since `before`, if they belong to the engine and agent of `next`. */
function requeuedSince(before: Loaded | undefined, now: Loaded | undefined, next: Loaded): Loaded["requeued"] {
  if (now?.engine !== next.engine || now.agentId !== next.agentId) return {};
  return Object.fromEntries(Object.entries(now.requeued).filter(([key, id]) => before?.requeued[key] !== id));
}

/** Identifies a dead letter of one engine: task ids are unique within a queue. */
export const deadLetterKey = ({ queue, task_id }: DeadLetter): string => JSON.stringify([queue, task_id]);
