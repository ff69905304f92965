import { isProblem } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { api } from "../../../api/api.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button, ButtonLink } from "../../../ui/buttons/Button.tsx";
import { Empty } from "../../../ui/panels/Lines.tsx";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { idTail, printable } from "../../../ui/time/format.ts";
import { projectsQuery } from "../../projects/index.ts";

/** Projects searched per click; each one takes a small request. */
const searchStep = 20;

interface TaskNotFoundProps {
  slug: string;
  engine: string;
  taskId: string;
}

/** Shown when the URL's task doesn't exist; offers to search other projects. */
export function TaskNotFound({ slug, engine, taskId }: TaskNotFoundProps) {
  const projects = useQuery(projectsQuery);
  const all = (projects.data ?? []).filter((project) => project.slug !== slug);
  const [searched, setSearched] = useState(0);
  const isSearching = searched > 0;
  const others = all.slice(Math.max(0, searched - searchStep), searched);
  const next = Math.min(searchStep, all.length - searched);
  const elsewhere = useQuery({
    queryKey: ["task-elsewhere", engine, taskId, others.map((project) => project.slug)],
    queryFn: async ({ signal }) => {
      const found: string[] = [];
      for (const project of others) {
        if (await isIn(project.slug, engine, taskId, signal)) found.push(project.slug);
      }
      return found;
    },
    enabled: isSearching && others.length > 0,
    staleTime: 30_000,
  });
  return (
    <>
      <Empty
        title="Task not in this project"
        chips={
          <>
            <ButtonLink href={paths.tasks(slug)}>All tasks in {slug}</ButtonLink>
            <ButtonLink href={paths.tasks(slug, { search: taskId.slice(0, 500) })}>
              Search the list for this id
            </ButtonLink>
            {next > 0 && (!isSearching || elsewhere.data?.length === 0) ? (
              <Button onClick={() => setSearched(searched + searchStep)}>
                {searchLabel(next, all.length, isSearching)}
              </Button>
            ) : null}
          </>
        }
      >
        <p>
          No {printable(engine)} task <span className="mono">{idTail(taskId)}</span>. It may be in another project or
          past retention.
        </p>
        <p role="status">
          {!isSearching ? null : elsewhere.data === undefined ? (
            elsewhere.isError ? null : (
              "Searching other projects…"
            )
          ) : elsewhere.data.length === 0 ? (
            noneText(Math.min(searched, all.length), all.length)
          ) : (
            <>
              Found in{" "}
              {elsewhere.data.map((one, at) => (
                <span key={one}>
                  {at > 0 ? ", " : ""}
                  <AppLink href={paths.task(one, engine, taskId)}>{one}</AppLink>
                </span>
              ))}
              .
            </>
          )}
        </p>
      </Empty>
      <StaleLine name="The other projects" read={elsewhere} />
    </>
  );
}

function searchLabel(next: number, all: number, isMore: boolean): string {
  if (isMore) return `Search ${next} more`;
  if (all === 1) return "Search the other project";
  return next < all ? `Search ${next} of ${all} other projects` : `Search ${all} other projects`;
}

function noneText(searched: number, all: number): string {
  return searched < all
    ? `Not found in the first ${searched} of ${all} other projects.`
    : "Not found in any other project.";
}

async function isIn(slug: string, engine: string, taskId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await api.getTask(slug, engine, taskId, { signal });
    return true;
  } catch (error) {
    if (isProblem(error, "not_found")) return false;
    throw error;
  }
}
