import type { Task } from "@svc/client";
import { type Query, useQuery, useQueryClient } from "@tanstack/react-query";
import { CatchBoundary, Outlet, useLocation, useParams } from "@tanstack/react-router";
import { Suspense, useEffect, useLayoutEffect, useSyncExternalStore } from "react";
import { paths } from "../address/paths.ts";
import { useKeepRange } from "../address/time-range.ts";
import { projectQuery } from "../features/projects/index.ts";
import { useMe } from "../features/sessions/index.ts";
import { visiblePollMs } from "../live/connection.ts";
import { keepLive } from "../live/declared.ts";
import { connection, useConnection, useFollowProject, useVisiblePoll, watchWindow } from "../live/live.ts";
import { HrefContext } from "../ui/buttons/AppLink.tsx";
import { ErrorPanel, PageSkeleton } from "../ui/panels/Feedback.tsx";
import { setProjectZone } from "../ui/time/instants.ts";
import { Banner } from "./notices/Banner.tsx";
import { Overlays } from "./Overlays.tsx";
import { Rail } from "./rail/Rail.tsx";
import { noteProject, noteTask, openRecent, recent } from "./rail/recent.ts";
import { ShellKeys } from "./ShellKeys.tsx";
import css from "./shell.module.css";
import { type ShellParts, ShellPartsContext, useShellParts } from "./shell-parts.ts";
import { TopBar } from "./top/TopBar.tsx";

/** The start page reads figures per project, so it polls less often than a project's own pages. */
const homePollMs = 15_000;

/** Everything around a page: rail, top bar, one banner line, and the page itself in <main>. */
export function Shell({ parts }: { parts: ShellParts }) {
  const { slug } = useParams({ strict: false });
  const me = useMe();
  // Runs before the effects of children, which record what was opened.
  useLayoutEffect(() => openRecent(me.id), [me.id]);
  useEffect(watchWindow, []);
  const client = useQueryClient();
  useEffect(() => keepLive(client, connection, slug), [client, slug]);
  return (
    <ShellPartsContext value={parts}>
      {slug === undefined ? <HomeShell /> : <ProjectShell key={slug} slug={slug} />}
    </ShellPartsContext>
  );
}

function HomeShell() {
  const isFeed = useLocation({ select: ({ pathname }) => pathname === paths.activity() });
  useVisiblePoll(isFeed ? visiblePollMs : homePollMs);
  return (
    <div className={`${css.app} ${css.bare}`}>
      <SkipLink />
      <TopBar />
      <div className={css.line}>
        <Banner />
      </div>
      <Main />
      <ShellKeys slug={null} />
      <Overlays slug={null} />
    </div>
  );
}

function ProjectShell({ slug }: { slug: string }) {
  const project = useQuery(projectQuery(slug));
  useFollowProject(project.data?.id ?? null);
  useNotes(slug, project.isSuccess);
  const keepRange = useKeepRange();
  const zone = project.data?.timezone;
  // Before painting, so that no timestamp appears in the previous project's zone.
  useLayoutEffect(() => {
    setProjectZone(zone ?? "UTC");
    return () => setProjectZone("UTC");
  }, [zone]);

  return (
    <HrefContext value={keepRange}>
      <div className={css.app} data-env={project.data?.environment}>
        <SkipLink />
        <Rail slug={slug} project={project.data} />
        <TopBar slug={slug} />
        <div className={css.line}>
          <Banner slug={slug} project={project.data} />
        </div>
        {project.isError && !project.data ? (
          <main className={css.main} id="main" tabIndex={-1}>
            <h1 className="vh">{slug}</h1>
            <ErrorPanel
              title={`Couldn't open the project ${slug}`}
              error={project.error}
              onRetry={() => void project.refetch()}
            />
          </main>
        ) : (
          <Main />
        )}
        <ShellKeys slug={slug} />
        <Overlays slug={slug} />
        <CommandTray slug={slug} />
      </div>
    </HrefContext>
  );
}

/** The commands sent from this browser; loaded once there is one. */
function CommandTray({ slug }: { slug: string }) {
  const { Tray } = useShellParts();
  const { commands } = useSyncExternalStore(recent.subscribe, recent.get);
  if (!commands.some((command) => command.slug === slug)) return null;
  return (
    <CatchBoundary getResetKey={() => commands} errorComponent={() => null}>
      <Suspense fallback={null}>
        <Tray slug={slug} />
      </Suspense>
    </CatchBoundary>
  );
}

/** Records viewed projects and tasks, so that the palette and the project switcher list them first. */
function useNotes(slug: string, isThere: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (isThere) noteProject(slug);
  }, [slug, isThere]);
  useEffect(() => {
    const note = (query: Query) => {
      const [subject, ofSlug, engine, taskId] = query.queryKey;
      if (subject !== "task" || ofSlug !== slug || query.getObserversCount() === 0) return;
      const task = query.state.data as Task | undefined;
      if (task) noteTask({ slug, engine: String(engine), taskId: String(taskId), name: task.name });
    };
    return client.getQueryCache().subscribe(({ type, query }) => {
      if (type === "observerAdded" || type === "updated") note(query);
    });
  }, [client, slug]);
}

function Main() {
  const { mode } = useConnection();
  // Stale data is dimmed; the banner shows its age.
  const isOld = mode === "stale" || mode === "offline";
  return (
    <main className={css.main} id="main" tabIndex={-1} data-freshness={isOld ? "old" : undefined}>
      <Suspense fallback={<PageSkeleton />}>
        <Outlet />
      </Suspense>
    </main>
  );
}

function SkipLink() {
  return (
    <a
      className="skip"
      href="#main"
      onClick={(event) => {
        event.preventDefault();
        document.getElementById("main")?.focus();
      }}
    >
      Skip to content
    </a>
  );
}
