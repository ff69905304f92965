import type { Schedule } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { schedulePages, scheduleQuery } from "../queries.ts";

/** Shows a changed schedule at once, and reads again what the response lacks. */
export function useScheduleChanged(slug: string): (changed: Schedule) => Promise<void> {
  const client = useQueryClient();
  return async (changed) => {
    client.setQueryData(
      scheduleQuery(slug, changed.id).queryKey,
      (old) =>
        // The response does not count failures.
        old && { ...old, ...changed, consecutive_failures: old.consecutive_failures },
    );
    await Promise.all([
      client.invalidateQueries({ queryKey: scheduleQuery(slug, changed.id).queryKey }),
      client.invalidateQueries({ queryKey: schedulePages(slug).queryKey }),
    ]);
  };
}
