import type { Project, ProjectStats } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useId } from "react";
import { statsQuery } from "../features/projects/queries.ts";
import { useMayAudit } from "../features/sessions/queries.ts";
import { useHub, usePollMs, useTimedMs } from "../live/live.ts";
import { AppLink } from "../ui/AppLink.tsx";
import { toggleRail } from "../ui/appearance.ts";
import controls from "../ui/controls.module.css";
import { shortCount } from "../ui/format.ts";
import { Glyph, Icon } from "../ui/Icon.tsx";
import { openMore } from "./overlay.ts";
import { ProjectSwitcher } from "./ProjectSwitcher.tsx";
import { isOn, type ProjectPage, pagesFor } from "./pages.ts";
import css from "./shell.module.css";

const groups = ["Watch", "Fleet", "Act", "Record"] as const;

export function Rail({ slug, project }: { slug: string; project: Project | undefined }) {
  const stats = useLiveStats(slug);
  const pathname = useLocation({ select: (location) => location.pathname });
  const shown = pagesFor({ mayAudit: useMayAudit(slug) });
  const isElsewhere = shown.some((page) => !page.isOnBar && isOn(page, slug, pathname));
  return (
    <nav className={css.rail} aria-label="Project">
      <ProjectSwitcher slug={slug} project={project} />
      <div className={css.groups}>
        {groups.map((title) => {
          const pages = shown.filter((page) => page.group === title);
          return pages.length === 0 ? null : <Group key={title} {...{ title, pages, slug, stats, pathname }} />;
        })}
      </div>
      <button
        type="button"
        className={`${css.nav} ${css.more} sm flex`}
        aria-current={isElsewhere ? "page" : undefined}
        aria-haspopup="dialog"
        onClick={openMore}
      >
        <Icon name="menu" />
        <span className="grow">More</span>
      </button>
      <div className={`${css.foot} lg`}>
        {shown
          .filter((page) => page.group === "Foot")
          .map((page) => (
            <PageLink key={page.id} {...{ page, slug, stats, pathname }} />
          ))}
        <button
          type="button"
          className={controls.ib}
          aria-label="Narrow or widen the rail"
          title="Narrow or widen the rail ([)"
          onClick={toggleRail}
        >
          <Icon name="rail" />
        </button>
      </div>
    </nav>
  );
}

/** The project's figures; the hub corrects those that matter between two reads. */
function useLiveStats(slug: string): ProjectStats | undefined {
  const client = useQueryClient();
  const pollMs = usePollMs();
  // The rollups behind these counts move slower than rows do.
  const statsMs = useTimedMs(pollMs === false ? 30_000 : pollMs * 2);
  const stats = useQuery({ ...statsQuery(slug), refetchInterval: statsMs });
  useHub("task.changed", ({ counts }) => {
    if (!counts) return;
    client.setQueryData(statsQuery(slug).queryKey, (old) => old && { ...old, tasks_by_state: counts });
  });
  useHub("agent.changed", ({ counts }) => {
    if (!counts) return;
    client.setQueryData(
      statsQuery(slug).queryKey,
      // As the figures have it: who was never seen is offline too.
      (old) => {
        const { online = 0, ...others } = counts;
        return (
          old && { ...old, agents_online: online, agents_offline: Object.values(others).reduce((a, b) => a + b, 0) }
        );
      },
    );
  });
  return stats.data;
}

interface GroupProps {
  title: string;
  pages: readonly ProjectPage[];
  slug: string;
  stats: ProjectStats | undefined;
  pathname: string;
}

function Group({ title, pages, slug, stats, pathname }: GroupProps) {
  const id = useId();
  return (
    <div className={css.grp}>
      <h2 id={id}>{title}</h2>
      <ul aria-labelledby={id}>
        {pages.map((page) => (
          <li key={page.id} className={page.isOnBar ? undefined : "lg"}>
            <PageLink {...{ page, slug, stats, pathname }} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface PageLinkProps extends Omit<GroupProps, "title" | "pages"> {
  page: ProjectPage;
}

function PageLink({ page, slug, stats, pathname }: PageLinkProps) {
  return (
    <AppLink
      className={css.nav}
      href={page.href(slug)}
      aria-current={isOn(page, slug, pathname) ? "page" : undefined}
      title={`${page.label} (g ${page.key})`}
    >
      <Icon name={page.icon} />
      <span className="grow">{page.label}</span>
      <PageBadge page={page} stats={stats} />
    </AppLink>
  );
}

/** A count beside a page's name; red only for something that is wrong now. */
function PageBadge({ page, stats }: { page: ProjectPage; stats: ProjectStats | undefined }) {
  const running = stats?.tasks_by_state?.started ?? 0;
  const offline = stats?.agents_offline ?? 0;
  if (page.id === "tasks" && running > 0) return <Badge count={running} says={`${running} running`} />;
  if (page.id === "agents" && offline > 0) return <Badge count={offline} says={`${offline} offline`} isWrong />;
  return null;
}

function Badge({ count, says, isWrong = false }: { count: number; says: string; isWrong?: boolean }) {
  return (
    <span className={isWrong ? `${css.n} ${css.wrong}` : css.n} title={says}>
      {isWrong ? <Glyph name="failure" /> : null}
      <span aria-hidden="true">{shortCount(count)}</span>
      <span className="vh">, {says}</span>
    </span>
  );
}
