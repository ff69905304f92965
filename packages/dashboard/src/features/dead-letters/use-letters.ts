import type { DeadLetter } from "@svc/client";
import { skipToken, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "../../api/api.ts";

/** What an agent told when somebody asked. It is never read again by itself: each reading is a command, audited, and one of ten a minute. */
export interface Loaded {
  engine: string;
  queue: string | undefined;
  entries: DeadLetter[];
  nextCursor: string | null;
  total: number | null;
  /** When the last page of it came, and from whom. */
  at: string;
  agentId: string;
  /** The command that puts a letter back, by the key of the letter: the list is not read again for that. */
  requeued: Readonly<Record<string, string>>;
}

export interface Asked {
  engine: string;
  queue: string | undefined;
}

/** The dead letters that were read last in this project; they stay for as long as the tab is open. */
export function useLetters(slug: string) {
  const client = useQueryClient();
  const queryKey = ["dead-letters", slug];
  const { data: loaded } = useQuery<Loaded>({
    queryKey,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
  });
  const load = useMutation({
    mutationFn: async ({ engine, queue, after }: Asked & { after?: Loaded }) => {
      const before = after ?? client.getQueryData<Loaded>(queryKey);
      const page = await api.listDeadLetters(slug, {
        engine,
        ...(queue !== undefined && { queue }),
        ...(after?.nextCursor && { cursor: after.nextCursor, agent_id: after.agentId }),
      });
      const known = new Set(after?.entries.map(letterKey));
      const next: Loaded = {
        engine,
        queue,
        entries: [...(after?.entries ?? []), ...page.entries.filter((entry) => !known.has(letterKey(entry)))],
        nextCursor: page.next_cursor,
        total: page.total,
        at: new Date().toISOString(),
        agentId: page.agent_id,
        requeued: after?.requeued ?? {},
      };
      // The agent took up to 15 seconds, in which letters may have been put back.
      client.setQueryData<Loaded>(queryKey, (now) => ({
        ...next,
        requeued: { ...next.requeued, ...markedSince(before, now, next) },
      }));
    },
  });
  const mark = (letter: DeadLetter, commandId: string) =>
    client.setQueryData<Loaded>(
      queryKey,
      (old) => old && { ...old, requeued: { ...old.requeued, [letterKey(letter)]: commandId } },
    );
  return { loaded, load, mark };
}

/** The marks that were not there before, where they are of the same agent's letters as the `next` ones. */
function markedSince(before: Loaded | undefined, now: Loaded | undefined, next: Loaded): Loaded["requeued"] {
  if (now?.engine !== next.engine || now.agentId !== next.agentId) return {};
  return Object.fromEntries(Object.entries(now.requeued).filter(([key, id]) => before?.requeued[key] !== id));
}

/** Of one engine; its task ids are unique in a queue. */
export const letterKey = ({ queue, task_id }: DeadLetter): string => JSON.stringify([queue, task_id]);
