import { keepPreviousData, queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../../../api/api.ts";
import { useSettled } from "../../../ui/time/use-settled.ts";
import { type CadenceKind, expressionOf, type ScheduleForm } from "./schedule-form.ts";

const debounceMs = 150;

/** Computed in the browser by the module of the service, which is loaded once the form is shown. */
const previewQuery = (cadence: { kind: string; expression: string; timezone: string }) =>
  queryOptions({
    queryKey: ["schedule-preview", cadence],
    queryFn: async () => (await import("./preview.ts")).previewOf(cadence, Date.now()),
    enabled: cadence.expression !== "",
    // The runs of an interval count from now.
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    networkMode: "always",
  });

/** The description and the next runs of the typed cadence, once typing pauses. */
export function usePreview(form: ScheduleForm) {
  const settled = useSettled(JSON.stringify([form.kind, expressionOf(form), form.timezone.trim()]), debounceMs);
  const [kind, expression, timezone] = JSON.parse(settled) as [string, string, string];
  return useQuery(previewQuery({ kind, expression, timezone }));
}

const comparedRuns = 10;
const compareDebounceMs = 500;

/** What only the service knows: which other schedules fire in the same minutes, and changes of the clocks within a year. */
export function useComparison(slug: string, form: ScheduleForm, scheduleId: string | undefined) {
  const settled = useSettled(JSON.stringify([form.kind, expressionOf(form), form.timezone.trim()]), compareDebounceMs);
  const [kind, expression, timezone] = JSON.parse(settled) as [CadenceKind, string, string];
  const query = { kind, expression, timezone, count: comparedRuns, ...(scheduleId && { schedule_id: scheduleId }) };
  return useQuery({
    queryKey: ["schedule-comparison", slug, query],
    queryFn: ({ signal }) => api.previewSchedule(slug, query, { signal }),
    enabled: expression !== "",
    staleTime: 30_000,
    retry: false,
  });
}
