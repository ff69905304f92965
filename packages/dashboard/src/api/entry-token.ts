import { useSyncExternalStore } from "react";
import { createStore } from "../ui/store.ts";

// Links in emails carry their token in the fragment, which browsers don't send. It is removed from the URL, and so from the history, before
// anything is rendered or requested, and kept in memory only: after a reload, the page needs the link again.

const pages = ["/reset/confirm", "/invite"] as const;
type TokenPage = (typeof pages)[number];
const taken = createStore<{ readonly page: TokenPage; readonly token: string } | null>(null);

function take(): void {
  const page = pages.find((one) => one === location.pathname.replace(/\/$/, ""));
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (page === undefined || !token) return;
  history.replaceState(history.state, "", location.pathname + location.search);
  taken.set({ page, token });
}

take();
// Opening another link while the page is open changes only the fragment.
addEventListener("hashchange", take);

/** The token from the link to this page; null without one. */
export function useEntryToken(page: TokenPage): string | null {
  const last = useSyncExternalStore(taken.subscribe, taken.get);
  return last?.page === page ? last.token : null;
}

export const forgetEntryToken = () => taken.set(null);
