import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { usePollMs } from "../../../live/live.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { OlderButton } from "../../../ui/buttons/OlderButton.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { count, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { agentsQuery } from "../../agents/index.ts";
import { roleIn, useMe } from "../../sessions/index.ts";
import { CommandPill } from "../commands/CommandPill.tsx";
import { latestCommands } from "../commands/command-queries.ts";
import css from "../commands/commands.module.css";
import { wordsOfAction } from "../commands/words.ts";
import { isOfTask } from "../requests/of-task.ts";
import { AgentLink } from "../requests/targets.tsx";

interface AskedOfTaskProps {
  slug: string;
  task: { engine: string; task_id: string };
}

/** The commands about one task, whoever gave them. They are looked for among the newest of the project, and further back when somebody asks. */
export function AskedOfTask({ slug, task }: AskedOfTaskProps) {
  const read = useInfiniteQuery({ ...latestCommands(slug), refetchInterval: usePollMs() });
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const role = roleIn(useMe(), slug);
  const commands = read.data?.pages.flatMap(({ items }) => items) ?? [];
  const own = commands.filter((command) => isOfTask(command, task));
  return (
    <QueryBoundary name="Commands" read={read} rows={3}>
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
        {read.hasNextPage ? ` among the newest ${count(commands.length)} of the project. ` : ", of all that are kept."}
        {role === "operator" || role === "admin" ? null : hiddenFrom(own.length)}
        {read.hasNextPage ? <OlderButton read={read}>Look further back</OlderButton> : null}
      </p>
    </QueryBoundary>
  );
}

/** What the list lacks to who may not see payloads, and what may be in it too much. */
const hiddenFrom = (shown: number): string =>
  ` Those about several tasks are hidden for your role${shown === 0 ? ". " : ", and so are engines: any of these may be about a task of the same id of another. "}`;
