import type { BulkRetryBody } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../../api/api.ts";
import { noteCommand } from "../../../../shell/rail/recent.ts";
import { KeyedRequests } from "../../requests/keyed-requests.ts";
import { bulkRetryQuery } from "../bulk-retry-queries.ts";

interface Wanted {
  body: Omit<BulkRetryBody, "idempotency_key">;
  /** What the tray says of it. */
  words: string;
}

/** Makes a bulk retry and puts it into the tray. The same request again, after an answer that was lost, is the same one, for as long as its dialog is open. `isLost` until it is known what became of that one. */
export function useCreateBulkRetry(slug: string) {
  const client = useQueryClient();
  const [requests] = useState(() => new KeyedRequests());
  const create = useMutation({
    mutationFn: ({ body, words }: Wanted) =>
      requests.send(body, async (keyed) => {
        const made = await api.createBulkRetry(slug, keyed);
        client.setQueryData(bulkRetryQuery(slug, made.id).queryKey, made, { updatedAt: 0 });
        noteCommand({ slug, id: made.id, words, task: "", isBulk: true });
        return made;
      }),
  });
  return { ...create, isLost: requests.isAnyLost };
}
