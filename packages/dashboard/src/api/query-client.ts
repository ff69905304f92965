import { isProblem } from "@svc/client";
import { QueryCache, QueryClient } from "@tanstack/react-query";

type OnSignedOut = () => void;
let onSignedOut: OnSignedOut = () => {};

/** What happens when any read is told that the session has ended. */
export function whenSignedOut(run: OnSignedOut): void {
  onSignedOut = run;
}

/** Tells how a read failed that no query made. */
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
      // The reads here renew themselves by push or by poll; the window's focus adds nothing but load.
      refetchOnWindowFocus: false,
      refetchOnReconnect: true,
      networkMode: "always",
      retry: (count, error) => count < 1 && (isProblem(error, "unready") || isProblem(error, "unreachable")),
      retryDelay: 800,
    },
    mutations: { networkMode: "always" },
  },
});
