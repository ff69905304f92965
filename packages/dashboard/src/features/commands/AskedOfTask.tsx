import type { CommandPage } from "@svc/client";
import { type InfiniteData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { usePollMs } from "../../live/live.ts";
import { paths } from "../../paths.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { Bones, Failed, FailedLine } from "../../ui/Feedback.tsx";
import { count, printable } from "../../ui/format.ts";
import { OlderButton } from "../../ui/OlderButton.tsx";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { Age } from "../../ui/Stamp.tsx";
import { agentsQuery } from "../agents/queries.ts";
import { roleIn, useMe } from "../sessions/queries.ts";
import { CommandPill } from "./CommandPill.tsx";
import { latestCommands } from "./command-queries.ts";
import css from "./commands.module.css";
import { isOfTask } from "./of-task.ts";
import { AgentLink } from "./targets.tsx";
import { wordsOfAction } from "./words.ts";

interface AskedOfTaskProps {
  slug: string;
  task: { engine: string; task_id: string };
}

/** The commands about one task, whoever gave them. They are looked for among the newest of the project, and further back when somebody asks. */
export function AskedOfTask({ slug, task }: AskedOfTaskProps) {
  const read = useInfiniteQuery({ ...latestCommands(slug), refetchInterval: usePollMs() });
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const role = roleIn(useMe(), slug);
  if (read.data === undefined) {
    return read.isError ? (
      <Failed title="Commands could not be read" error={read.error} onRetry={() => void read.refetch()} />
    ) : (
      <Bones rows={3} label="Loading commands" />
    );
  }
  const looked = lookedAt(read.data);
  const own = read.data.pages.flatMap(({ items }) => items).filter((command) => isOfTask(command, task));
  return (
    <>
      {read.isError ? (
        <FailedLine title="Commands were not renewed" error={read.error} onRetry={() => void read.refetch()} />
      ) : null}
      {own.length === 0 ? null : (
        <ScrollBox label="About this task">
          <table className={panel.tbl}>
            <thead>
              <tr>
                <th>Status</th>
                <th>Command</th>
                <th className="lg">Agent</th>
                <th className="num">Issued</th>
                <th className="lg">Error</th>
              </tr>
            </thead>
            <tbody>
              {own.map((command) => (
                <tr key={command.id}>
                  <td>
                    <CommandPill status={command.status} />
                  </td>
                  <td>
                    <AppLink href={paths.command(slug, command.id)}>{wordsOfAction(command.action)}</AppLink>
                  </td>
                  <td className="lg">
                    <AgentLink slug={slug} id={command.agent_id} agents={agents} />
                  </td>
                  <td className="num">
                    <Age at={command.issued_at} suffix=" ago" />
                  </td>
                  <td className={`lg t2 ${css.line}`} title={command.error ? printable(command.error) : undefined}>
                    {command.error ? printable(command.error) : "–"}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      <p className={panel.foot}>
        {own.length === 0 ? "No command about this task" : `${count(own.length)} about this task`}
        {read.hasNextPage ? ` among the newest ${count(looked)} of the project. ` : ", of all that are kept."}
        {role === "operator" || role === "admin" ? null : hiddenFrom(own.length)}
        {read.hasNextPage ? <OlderButton read={read}>Look further back</OlderButton> : null}
      </p>
    </>
  );
}

/** What the list lacks to who may not see payloads, and what may be in it too much. */
const hiddenFrom = (shown: number): string =>
  ` Those about several tasks are hidden for your role${shown === 0 ? ". " : ", and so are engines: any of these may be about a task of the same id of another. "}`;

const lookedAt = ({ pages }: InfiniteData<CommandPage>): number =>
  pages.reduce((sum, { items }) => sum + items.length, 0);
