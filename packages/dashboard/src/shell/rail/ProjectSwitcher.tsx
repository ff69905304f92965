import type { Project } from "@svc/client";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { useMe } from "../../features/sessions/index.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { EnvironmentTag } from "../../ui/EnvironmentTag.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Menu, menuItem, menuRule } from "../../ui/layers/Layers.tsx";
import { printable } from "../../ui/time/format.ts";
import { openNewProject } from "../overlay.ts";
import css from "../shell.module.css";
import { ProjectList } from "./ProjectList.tsx";

interface ProjectSwitcherProps {
  slug: string;
  project: Project | undefined;
}

/** Shows the project and its environment, and switches to another one. */
export function ProjectSwitcher({ slug, project }: ProjectSwitcherProps) {
  const me = useMe();
  const [opened, setOpened] = useState(0);
  return (
    <Menu
      label="Switch project"
      place={css.switcher}
      buttonClass={css.proj}
      onOpen={() => setOpened(opened + 1)}
      button={
        <>
          <span className={css.mark} aria-hidden="true">
            svc
          </span>
          <span className="grow cut">
            <b className="cut">{printable(project?.name ?? slug)}</b>
            <EnvironmentTag environment={project?.environment}>
              <span className="vh">. Switch project</span>
            </EnvironmentTag>
          </span>
          <Icon name="updown" className="t3" />
        </>
      }
    >
      <ProjectList slug={slug} opened={opened} />
      <hr className={menuRule} />
      <AppLink data-entry="" className={menuItem} href={paths.home()}>
        <Icon name="home" />
        All projects
      </AppLink>
      {me.is_admin ? (
        <button type="button" data-entry="" className={menuItem} onClick={openNewProject}>
          <Icon name="plus" />
          Create project
        </button>
      ) : null}
    </Menu>
  );
}
