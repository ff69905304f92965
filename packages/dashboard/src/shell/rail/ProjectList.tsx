import type { ProjectHealth } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useRef, useState, useSyncExternalStore } from "react";
import { archivedProjectsQuery, HealthWord, homeSummaryQuery, projectsQuery } from "../../features/projects/index.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { RetryButton } from "../../ui/buttons/RetryButton.tsx";
import { EnvironmentTag } from "../../ui/EnvironmentTag.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { menuItem } from "../../ui/layers/Layers.tsx";
import { printable } from "../../ui/time/format.ts";
import { samePageIn } from "../pages.ts";
import css from "./projects.module.css";
import { recent } from "./recent.ts";

const maximumShown = 50;

interface ProjectListProps {
  slug: string;
  /** How often it was opened: nothing is loaded before the first time, and each opening resets the filter. */
  opened: number;
  onChoose?: () => void;
}

/** The projects that match the filter, recently viewed ones first. Each links to the same sub-page as the current one. */
export function ProjectList({ slug, opened, onChoose }: ProjectListProps) {
  const { data: projects, isPending, isError, error, refetch } = useQuery({ ...projectsQuery, enabled: opened > 0 });
  const { projects: lately } = useSyncExternalStore(recent.subscribe, recent.get);
  const pathname = useLocation({ select: (location) => location.pathname });
  const list = useRef<HTMLUListElement>(null);
  const [typed, setTyped] = useState("");
  const [isArchiveShown, setArchiveShown] = useState(false);
  const archived = useQuery({ ...archivedProjectsQuery, enabled: isArchiveShown });
  const [seen, setSeen] = useState(opened);
  if (seen !== opened) {
    setSeen(opened);
    setTyped("");
    setArchiveShown(false);
  }
  const wanted = typed.trim().toLowerCase();
  const rank = (one: { slug: string }) => (lately.indexOf(one.slug) + 1 || lately.length + 1) - 1;
  const shown = [...(projects ?? []), ...(isArchiveShown ? (archived.data ?? []) : [])]
    .filter(({ name, slug, environment }) => `${name} ${slug} ${environment}`.toLowerCase().includes(wanted))
    .sort((one, other) => rank(one) - rank(other))
    .slice(0, maximumShown);
  const summary = useQuery({ ...homeSummaryQuery, enabled: opened > 0 });
  const healthOf = new Map(summary.data?.projects.map((one) => [one.id, one.health]));

  return (
    <>
      <input
        className={css.find}
        type="text"
        aria-label="Filter projects"
        placeholder="Filter projects"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          list.current?.querySelector<HTMLElement>("a")?.click();
          event.preventDefault();
        }}
      />
      <ul ref={list} className={css.projects}>
        {shown.map((one) => (
          <li key={one.id}>
            <AppLink
              data-entry=""
              className={menuItem}
              href={samePageIn(one.slug, pathname)}
              aria-current={one.slug === slug ? "true" : undefined}
              onClick={onChoose}
            >
              <span className="grow cut">
                <b className="cut">{printable(one.name)}</b>
                <EnvironmentTag environment={one.environment}>{one.is_active ? "" : ", archived"}</EnvironmentTag>
              </span>
              <Health of={healthOf.get(one.id)} />
            </AppLink>
          </li>
        ))}
      </ul>
      {shown.length === 0 ? (
        <p className={`${menuItem} t3`}>
          {isPending ? "Loading projects…" : isError ? "Couldn't load projects" : "No matching projects"}
        </p>
      ) : null}
      <button
        type="button"
        data-entry=""
        data-stay=""
        className={menuItem}
        aria-pressed={isArchiveShown}
        onClick={() => setArchiveShown(!isArchiveShown)}
      >
        <Icon name={isArchiveShown ? "check" : "search"} />
        {isArchiveShown && archived.data?.length === 0 ? "No archived projects" : "Show archived"}
      </button>
      {isError && shown.length === 0 ? (
        <RetryButton
          error={error}
          onRetry={() => void refetch()}
          className={menuItem}
          icon={<Icon name="retry" />}
          isEntry
        />
      ) : null}
    </>
  );
}

function Health({ of }: { of: ProjectHealth | undefined }) {
  return of === undefined ? null : <HealthWord health={of} />;
}
