import { isProblem } from "@svc/client";
import { useQueryErrorResetBoundary } from "@tanstack/react-query";
import {
  createRootRoute,
  createRoute,
  lazyRouteComponent,
  type ParsedLocation,
  redirect,
  useParams,
  useRouter,
} from "@tanstack/react-router";
import { paths, safeReturn } from "../address/paths.ts";
import { queryClient } from "../api/query-client.ts";
import { Root } from "../app/Root.tsx";
import { isEnrollmentOverdue, maybeSignedIn, meQuery } from "../features/sessions/index.ts";
import { ErrorPanel, isMissingPart, PageSkeleton } from "../ui/panels/Feedback.tsx";
import { usePage } from "../ui/title.ts";

// The parent routes: the root for pages before sign-in, the signed-in route for all others.

/** Shown before the shell, which has the page's main landmark. */
export function FirstSkeleton() {
  return (
    <main>
      <PageSkeleton />
    </main>
  );
}

export const rootRoute = createRootRoute({
  component: Root,
  notFoundComponent: lazyRouteComponent(() => import("../shell/NotFound.tsx"), "NotFound"),
});

/** Redirects users without a complete sign-in to the page for the next step. */
async function admit({ href }: ParsedLocation): Promise<void> {
  const next = safeReturn(href);
  const search = next === "/" ? {} : { next };
  const me = await queryClient.ensureQueryData(meQuery).catch((error: unknown) => {
    if (!isProblem(error, "unauthenticated")) throw error;
    throw redirect({ to: "/login", search });
  });
  if (me.mfa_required) throw redirect({ to: "/login/mfa", search });
  if (isEnrollmentOverdue(me)) throw redirect({ to: "/login/enroll", search });
}

export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "signed-in",
  // Without a session, nothing is loaded. With one, the page's files and reads are requested in parallel with this check.
  beforeLoad: ({ location }) => (maybeSignedIn() ? undefined : admit(location)),
  loader: { handler: ({ location }) => admit(location), staleReloadMode: "blocking" },
  shouldReload: true,
  component: lazyRouteComponent(() => import("../app/SignedIn.tsx"), "SignedIn"),
  pendingComponent: FirstSkeleton,
  errorComponent: PageError,
});

export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  const { invalidate } = useRouter();
  // Without this reset, a retry would throw the cached error instead of reading again.
  const failedReads = useQueryErrorResetBoundary();
  const { slug } = useParams({ strict: false });
  usePage([...(slug === undefined ? [] : [[slug, paths.project(slug)] as const]), ["Error"]]);
  return (
    <>
      <h1 className="vh">Couldn't show this page</h1>
      <ErrorPanel
        title="Couldn't show this page"
        error={error}
        // A page's file is requested only once; afterwards only a reload helps.
        onRetry={
          isMissingPart(error)
            ? undefined
            : () => {
                failedReads.reset();
                reset();
                void invalidate();
              }
        }
      />
    </>
  );
}
