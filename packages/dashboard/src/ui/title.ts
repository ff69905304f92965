import { useEffect } from "react";
import { createStore } from "./store.ts";
import { printable } from "./time/format.ts";

export type Crumb = readonly [label: string, href?: string];

export const crumbs = createStore<readonly Crumb[]>([]);

/** Sets the tab's title (most specific part first) and the breadcrumb (most specific part last). */
export function usePage(trail: readonly Crumb[], note?: string): void {
  const key = JSON.stringify([trail, note]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key represents both by content
  useEffect(() => {
    crumbs.set(trail);
    const labels = trail.map(([label]) => label).reverse();
    document.title = printable(`${[note, ...labels].filter(Boolean).join(", ")} · svc`);
  }, [key]);
}
