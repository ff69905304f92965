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

// What the pages of the site map hang on: those of an account that is not let in yet on the root, all others on what is signed in.

/** What stands before the shell does, which has the landmark of the page. */
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

/** Leads whoever may not see the pages to where they sign in. */
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
  // Without a session nothing of the page is loaded. With one its files and its reads are asked for meanwhile.
  beforeLoad: ({ location }) => (maybeSignedIn() ? undefined : admit(location)),
  loader: { handler: ({ location }) => admit(location), staleReloadMode: "blocking" },
  shouldReload: true,
  component: lazyRouteComponent(() => import("../app/SignedIn.tsx"), "SignedIn"),
  pendingComponent: FirstSkeleton,
  errorComponent: PageError,
});

export function PageError({ error, reset }: { error: unknown; reset: () => void }) {
  const { invalidate } = useRouter();
  // Without it a page that failed to read would throw what it remembers instead of reading again.
  const failedReads = useQueryErrorResetBoundary();
  const { slug } = useParams({ strict: false });
  usePage([...(slug === undefined ? [] : [[slug, paths.project(slug)] as const]), ["Not shown"]]);
  return (
    <>
      <h1 className="vh">Couldn't show this page</h1>
      <ErrorPanel
        title="Couldn't show this page"
        error={error}
        // A page's own file is asked for once; after that only a reload brings it.
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
