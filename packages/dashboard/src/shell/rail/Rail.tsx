import type { Project, ProjectStats } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useId } from "react";
import { statsQuery } from "../../features/projects/index.ts";
import { usePollMs, useTimedMs } from "../../live/live.ts";
import { toggleRail } from "../../ui/appearance.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { openMore } from "../overlay.ts";
import { isOn, type ProjectPage } from "../pages.ts";
import css from "../shell.module.css";
import { useProjectPages } from "../shell-parts.ts";
import { ProjectSwitcher } from "./ProjectSwitcher.tsx";

const groups = ["Watch", "Fleet", "Act", "Record"] as const;

export function Rail({ slug, project }: { slug: string; project: Project | undefined }) {
  const pollMs = usePollMs();
  // The rollups behind these counts change more slowly than rows.
  const statsMs = useTimedMs(pollMs === false ? 30_000 : pollMs * 2);
  const { data: stats } = useQuery({ ...statsQuery(slug), refetchInterval: statsMs });
  const pathname = useLocation({ select: (location) => location.pathname });
  const shown = useProjectPages(slug);
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
        <Button
          variant="icon"
          icon="rail"
          aria-label="Collapse or expand the sidebar"
          title="Collapse or expand the sidebar ([)"
          onClick={toggleRail}
        />
      </div>
    </nav>
  );
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
      {page.Badge === undefined ? null : <page.Badge slug={slug} stats={stats} />}
    </AppLink>
  );
}
