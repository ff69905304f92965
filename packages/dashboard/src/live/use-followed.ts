import type { HubEvent, HubTopic } from "@svc/client";
import { type DataTag, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useHub } from "./live.ts";

/** Keeps what was read in step with the hub: `patch` puts a push into it; it is read again when more changed than a push holds. */
export function useFollowed<Topic extends HubTopic, Data>(
  topic: Topic,
  queryKey: DataTag<QueryKey, Data, Error>,
  patch: (data: Data, event: HubEvent<Topic>) => Data,
): void {
  const client = useQueryClient();
  useHub(topic, (event) => {
    if (event.refetch) void client.invalidateQueries({ queryKey });
    else client.setQueryData<Data>(queryKey, (old) => old && patch(old, event));
  });
}

/** For what holds one row: its own among those that were pushed. */
export const withOwnRow = <Row extends { id: string }, Whole extends Row>(
  whole: Whole,
  { rows }: { rows?: Row[] },
): Whole => ({
  ...whole,
  ...rows?.find((row) => row.id === whole.id),
});
