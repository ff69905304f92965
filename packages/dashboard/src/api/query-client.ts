import { isProblem } from "@svc/client";
import { QueryCache, QueryClient } from "@tanstack/react-query";

type OnSignedOut = () => void;
let onSignedOut: OnSignedOut = () => {};

/** Sets the handler that runs when a read is refused because the session has ended. */
export function whenSignedOut(run: OnSignedOut): void {
  onSignedOut = run;
}

/** Runs that handler for requests outside of queries. */
export function noticeSignedOut(error: unknown): void {
  if (isProblem(error, "unauthenticated")) onSignedOut();
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, query) {
      if (query.meta?.quiet !== true) noticeSignedOut(error);
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      gcTime: 5 * 60_000,
      // Data is refreshed by push or polling; refetching on focus would only add load.
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      networkMode: "always",
      retry: (count, error) => count < 1 && (isProblem(error, "unready") || isProblem(error, "unreachable")),
      retryDelay: 800,
    },
    mutations: { networkMode: "always" },
  },
});
