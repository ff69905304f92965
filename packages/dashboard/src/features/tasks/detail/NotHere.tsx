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

/** Each look is one small read, and only when it is asked for. */
const mostLookedAt = 20;

interface NotHereProps {
  slug: string;
  engine: string;
  taskId: string;
}

/** A task that its address does not lead to, and where else it may be. */
export function NotHere({ slug, engine, taskId }: NotHereProps) {
  const projects = useQuery(projectsQuery);
  const all = (projects.data ?? []).filter((project) => project.slug !== slug);
  const [lookedAt, setLookedAt] = useState(0);
  const isLooking = lookedAt > 0;
  const others = all.slice(Math.max(0, lookedAt - mostLookedAt), lookedAt);
  const next = Math.min(mostLookedAt, all.length - lookedAt);
  const elsewhere = useQuery({
    queryKey: ["task-elsewhere", engine, taskId, others.map((project) => project.slug)],
    queryFn: async ({ signal }) => {
      const found: string[] = [];
      for (const project of others) {
        if (await isIn(project.slug, engine, taskId, signal)) found.push(project.slug);
      }
      return found;
    },
    enabled: isLooking && others.length > 0,
    staleTime: 30_000,
  });
  return (
    <>
      <Empty
        title="This task is not here"
        chips={
          <>
            <ButtonLink href={paths.tasks(slug)}>All tasks of {slug}</ButtonLink>
            <ButtonLink href={paths.tasks(slug, { search: taskId.slice(0, 500) })}>
              Search the list for this id
            </ButtonLink>
            {next > 0 && (!isLooking || elsewhere.data?.length === 0) ? (
              <Button onClick={() => setLookedAt(lookedAt + mostLookedAt)}>
                {lookText(next, all.length, isLooking)}
              </Button>
            ) : null}
          </>
        }
      >
        <p>
          <span className="mono">{idTail(taskId)}</span> of {printable(engine)} is not in this project, or it is past
          the retention and was deleted.
        </p>
        <p role="status">
          {!isLooking ? null : elsewhere.data === undefined ? (
            elsewhere.isError ? null : (
              "Looking in the other projects"
            )
          ) : elsewhere.data.length === 0 ? (
            noneText(Math.min(lookedAt, all.length), all.length)
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

function lookText(next: number, all: number, isMore: boolean): string {
  if (isMore) return `Look in ${next} more`;
  if (all === 1) return "Look in the other project";
  return next < all ? `Look in ${next} of the ${all} other projects` : `Look in ${all} other projects`;
}

function noneText(lookedAt: number, all: number): string {
  return lookedAt < all
    ? `It is in none of the first ${lookedAt} of the ${all} other projects.`
    : "It is in none of the other projects either.";
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
