import type { BulkRetryBody } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { api } from "../../api.ts";
import { noteCommand } from "../../shell/recent.ts";
import { freshKey } from "../commands/use-act.ts";
import { bulkRetryQuery } from "./bulk-retry-queries.ts";

interface Wanted {
  body: Omit<BulkRetryBody, "idempotency_key">;
  /** What the tray says of it. */
  words: string;
}

/** Makes a bulk retry and puts it into the tray. The same request again, after an answer that was lost, is the same one, for as long as its dialog is open. */
export function useCreateBulkRetry(slug: string) {
  const client = useQueryClient();
  const keys = useRef(new Map<string, string>());
  return useMutation({
    mutationFn: async ({ body, words }: Wanted) => {
      const text = JSON.stringify(body);
      const key = keys.current.get(text) ?? freshKey();
      keys.current.set(text, key);
      const made = await api.createBulkRetry(slug, { ...body, idempotency_key: key });
      client.setQueryData(bulkRetryQuery(slug, made.id).queryKey, made, { updatedAt: 0 });
      noteCommand({ slug, id: made.id, words, task: "", isBulk: true });
      return made;
    },
  });
}
