import type { BulkRetryBody } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../../api/api.ts";
import { noteCommand } from "../../../../shell/rail/recent.ts";
import { KeyedRequests } from "../../requests/keyed-requests.ts";
import { bulkRetryQuery } from "../bulk-retry-queries.ts";

interface CreateArgs {
  body: Omit<BulkRetryBody, "idempotency_key">;
  /** The title of its activity entry. */
  label: string;
}

/**
 * Creates a bulk retry and adds it to the tray. Repeating a request whose response was lost is safe while the dialog is open: the key stays
 * the same. `isLost` until its outcome is known.
 */
export function useCreateBulkRetry(slug: string) {
  const client = useQueryClient();
  const [requests] = useState(() => new KeyedRequests());
  const create = useMutation({
    mutationFn: ({ body, label }: CreateArgs) =>
      requests.send(body, async (keyed) => {
        const created = await api.createBulkRetry(slug, keyed);
        client.setQueryData(bulkRetryQuery(slug, created.id).queryKey, created, { updatedAt: 0 });
        noteCommand({ slug, id: created.id, words: label, task: "", isBulk: true });
        return created;
      }),
  });
  return { ...create, isLost: requests.isAnyLost };
}
