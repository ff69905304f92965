import { isProblem } from "@svc/client";
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { connection } from "../live/live.ts";

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

// What no push tells about, and the lists that renew themselves, are left alone.
const steady = [
  "me",
  "projects",
  "project",
  "setup-status",
  "trends",
  "latency",
  "slowest",
  "ends",
  "failures",
  "issues",
  "releases",
  "saved-views",
  "completeness",
  "invitation-preview",
  "mfa-enrollment",
  "password-policy",
  "members",
  "invitations",
  "api-keys",
  "users",
];
// The stream's pushes carry these figures, and a timer reads them again: worth a request only once they are old.
const figures = ["stats", "task-histogram", "facet"];
connection.onResume(() => {
  const underWay = new Set(queryClient.getQueryCache().findAll({ fetchStatus: "fetching" }));
  // After the parts of the page that renew their own reads at this moment: what they ask for is not asked for again.
  queueMicrotask(() => {
    void queryClient.invalidateQueries({
      predicate: (query) => {
        const subject = String(query.queryKey[0]);
        const { isInvalidated, fetchStatus } = query.state;
        if (isInvalidated && fetchStatus === "fetching" && !underWay.has(query)) return false;
        if (query.meta?.livePages === true || steady.includes(subject)) return false;
        return !figures.includes(subject) || query.isStale();
      },
    });
  });
});
