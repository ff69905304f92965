import { useSyncExternalStore } from "react";
import { createStore } from "../ui/store.ts";

// Mailed links carry their token behind #, which browsers send to nobody. It is taken out of the address, and so out of the history, before
// anything is drawn or asked for, and kept in memory alone: a page that is loaded anew needs the link again.

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
// Another link that is opened while the page stands changes nothing but what is behind #.
addEventListener("hashchange", take);

/** The token that the link to this page carried; null without one. */
export function useEntryToken(page: TokenPage): string | null {
  const last = useSyncExternalStore(taken.subscribe, taken.get);
  return last?.page === page ? last.token : null;
}

export const forgetEntryToken = () => taken.set(null);
