import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { EnvironmentTag } from "../../ui/EnvironmentTag.tsx";
import { printable } from "../../ui/time/format.ts";
import { projectQuery } from "./queries.ts";

/** The current project and its environment, for the header of dialogs that change something in it. */
export function ProjectTag() {
  const { slug = "" } = useParams({ strict: false });
  const project = useQuery({ ...projectQuery(slug), enabled: slug !== "" }).data;
  if (project === undefined) return null;
  return <EnvironmentTag environment={project.environment}> · {printable(project.name)}</EnvironmentTag>;
}
