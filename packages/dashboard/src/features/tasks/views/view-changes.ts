import type { SavedView, SavedViewFilters } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { api } from "../../../api/api.ts";
import { savedViewsQuery } from "../../task-data/index.ts";
import type { ListView } from "./views.ts";

/** Replaces the filters of a saved view. */
export function useReplaceView(slug: string, onError: () => void) {
  const { show } = useShownViews(slug);
  return useMutation({
    mutationFn: ({ view, filters }: { view: ListView; filters: SavedViewFilters }) =>
      api.replaceSavedView(slug, view.id ?? "", { name: view.name, filters }),
    onSuccess: show,
    onError,
  });
}

/** Updates the cached views after a response, without another request. */
export function useShownViews(slug: string) {
  const client = useQueryClient();
  const { queryKey } = savedViewsQuery(slug);
  return {
    show: (view: SavedView) =>
      client.setQueryData(queryKey, (old) => {
        const others = (old?.items ?? []).filter((one) => one.id !== view.id);
        return { items: [...others, view].sort((a, b) => a.name.localeCompare(b.name)) };
      }),
    drop: (id: string) =>
      client.setQueryData(queryKey, (old) => ({ items: (old?.items ?? []).filter((one) => one.id !== id) })),
  };
}
