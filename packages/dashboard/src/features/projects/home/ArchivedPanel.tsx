import { useQuery } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Panel, PanelEmpty } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { archivedProjectsQuery } from "../queries.ts";
import css from "./home.module.css";

/** Projects that were ended and can be restored from their settings. */
export function ArchivedPanel() {
  const read = useQuery(archivedProjectsQuery);
  return (
    <div className={css.archived}>
      <Panel
        title="Archived projects"
        window="to be read and restored"
        read={read}
        rows={2}
        empty={(projects) =>
          projects.length > 0 ? null : (
            <PanelEmpty kind="none-yet">
              <p>None of your projects is archived.</p>
            </PanelEmpty>
          )
        }
      >
        {(projects) => (
          <ScrollBox label="Archived projects">
            <table className={panel.tbl}>
              <thead>
                <tr>
                  <th>Project</th>
                  <th className="lg">Environment</th>
                  <th className="num">Last changed</th>
                </tr>
              </thead>
              <tbody>
                {projects.map((project) => (
                  <tr key={project.id}>
                    <td className={panel.two}>
                      <AppLink href={paths.general(project.slug)}>
                        <b>{nameText(project.name)}</b>
                      </AppLink>
                      <small>{project.slug}</small>
                    </td>
                    <td className="lg t2">{printable(project.environment)}</td>
                    <td className="num t2">
                      <Stamp at={project.updated_at} to="minute" />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </ScrollBox>
        )}
      </Panel>
    </div>
  );
}
