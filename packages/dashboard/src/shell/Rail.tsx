import type { Project } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { type ReactNode, useId } from "react";
import { statsQuery } from "../features/projects/queries.ts";
import { useHub, usePollMs, useTimedMs } from "../live/live.ts";
import { paths } from "../paths.ts";
import { AppLink } from "../ui/AppLink.tsx";
import { toggleRail } from "../ui/appearance.ts";
import controls from "../ui/controls.module.css";
import { shortCount } from "../ui/format.ts";
import { Glyph, Icon } from "../ui/Icon.tsx";
import { useKeys } from "../ui/keys.ts";
import { ProjectSwitcher } from "./ProjectSwitcher.tsx";
import css from "./shell.module.css";

interface Entry {
  label: string;
  icon: string;
  href: string;
  /** Only the address itself is this page; what lies below it are others. */
  isWhole?: boolean;
  badge?: { count: number; says: string; isWrong?: boolean } | undefined;
}

export function Rail({ slug, project }: { slug: string; project: Project | undefined }) {
  const client = useQueryClient();
  const pollMs = usePollMs();
  // The rollups behind these counts move slower than rows do; the hub corrects the ones that matter in between.
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
      (old) => old && { ...old, agents_online: counts.online ?? 0, agents_offline: counts.offline ?? 0 },
    );
  });

  useKeys({ "[": toggleRail });

  const running = stats.data?.tasks_by_state?.started ?? 0;
  const offline = stats.data?.agents_offline ?? 0;
  return (
    <nav className={css.rail} aria-label="Project">
      <ProjectSwitcher slug={slug} project={project} />
      <div className={css.groups}>
        <Group title="Watch">
          <NavItem label="Overview" icon="overview" href={paths.project(slug)} isWhole />
          <NavItem
            label="Tasks"
            icon="tasks"
            href={paths.tasks(slug)}
            badge={running > 0 ? { count: running, says: `${running} running` } : undefined}
          />
        </Group>
        <Group title="Fleet">
          <NavItem label="Queues" icon="queues" href={paths.queues(slug)} />
          <NavItem label="Workers" icon="workers" href={paths.workers(slug)} />
          <NavItem
            label="Agents"
            icon="agents"
            href={paths.agents(slug)}
            badge={offline > 0 ? { count: offline, says: `${offline} offline`, isWrong: true } : undefined}
          />
        </Group>
      </div>
      <div className={`${css.foot} lg`}>
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

function Group({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <div className={css.grp}>
      <h2 id={id}>{title}</h2>
      <ul aria-labelledby={id}>{children}</ul>
    </div>
  );
}

function NavItem({ label, icon, href, isWhole = false, badge }: Entry) {
  const pathname = useLocation({ select: (location) => location.pathname });
  const isHere = pathname === href || pathname === `${href}/` || (!isWhole && pathname.startsWith(`${href}/`));
  return (
    <li>
      <AppLink className={css.nav} href={href} aria-current={isHere ? "page" : undefined} title={label}>
        <Icon name={icon} />
        <span className="grow">{label}</span>
        {badge ? (
          <span className={badge.isWrong ? `${css.n} ${css.wrong}` : css.n} title={badge.says}>
            {badge.isWrong ? <Glyph name="failure" /> : null}
            <span aria-hidden="true">{shortCount(badge.count)}</span>
            <span className="vh">, {badge.says}</span>
          </span>
        ) : null}
      </AppLink>
    </li>
  );
}
