import type { Project } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { projectsQuery } from "../features/projects/queries.ts";
import { paths, samePageIn } from "../paths.ts";
import { AppLink } from "../ui/AppLink.tsx";
import { printable } from "../ui/format.ts";
import { Icon } from "../ui/Icon.tsx";
import { Menu, menuItem, menuRule } from "../ui/Layers.tsx";
import css from "./shell.module.css";

/** Type to filter; the sub-page stays when the project changes. */
export function ProjectSwitcher({ slug, project }: { slug: string; project: Project | undefined }) {
  const [isOpened, setOpened] = useState(false);
  const { data: projects, isPending } = useQuery({ ...projectsQuery, enabled: isOpened });
  const [typed, setTyped] = useState("");
  const pathname = useLocation({ select: (location) => location.pathname });
  const wanted = typed.trim().toLowerCase();
  const fits = (one: { name: string; slug: string }) => `${one.name} ${one.slug}`.toLowerCase().includes(wanted);
  const shown = (projects ?? []).filter(fits).slice(0, 50);

  return (
    <Menu
      label="Switch project"
      place={css.switcher}
      buttonClass={css.proj}
      onOpen={() => {
        setTyped("");
        setOpened(true);
      }}
      button={
        <>
          <span className={css.mark} aria-hidden="true">
            svc
          </span>
          <span className="grow cut">
            <b className="cut">{printable(project?.name ?? slug)}</b>
            <span className={css.env} data-env={project?.environment}>
              {printable(project?.environment ?? "")}
              <span className="vh">. Switch project</span>
            </span>
          </span>
          <Icon name="updown" className="t3" />
        </>
      }
    >
      <input
        className={css.find}
        type="text"
        aria-label="Filter projects"
        placeholder="Filter projects"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {shown.map((one) => (
        <AppLink
          key={one.id}
          data-entry=""
          className={menuItem}
          href={samePageIn(one.slug, pathname)}
          aria-current={one.slug === slug ? "true" : undefined}
        >
          <span className="grow cut">{printable(one.name)}</span>
          <span className={css.env} data-env={one.environment}>
            {printable(one.environment)}
          </span>
        </AppLink>
      ))}
      {shown.length === 0 ? (
        <p className={`${menuItem} t3`}>{isPending ? "Loading the projects" : "No project matches"}</p>
      ) : null}
      <hr className={menuRule} />
      <AppLink data-entry="" className={menuItem} href={paths.home()}>
        <Icon name="home" />
        All projects
      </AppLink>
    </Menu>
  );
}
