import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { usePollMs } from "../../../live/live.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { OlderButton } from "../../../ui/buttons/OlderButton.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { count } from "../../../ui/time/format.ts";
import { agentsQuery } from "../../agents/index.ts";
import { mayOperate, useMe } from "../../sessions/index.ts";
import { CommandPill } from "../commands/CommandPill.tsx";
import { agentColumn, errorColumn, issuedColumn } from "../commands/command-columns.tsx";
import { latestCommands } from "../commands/command-queries.ts";
import { wordsOfAction } from "../commands/words.ts";
import { isOfTask } from "../requests/of-task.ts";

interface AskedOfTaskProps {
  slug: string;
  task: { engine: string; task_id: string };
}

/** The commands about one task, whoever gave them. They are looked for among the newest of the project, and further back when somebody asks. */
export function AskedOfTask({ slug, task }: AskedOfTaskProps) {
  const read = useInfiniteQuery({ ...latestCommands(slug), refetchInterval: usePollMs() });
  const agents = useQuery(agentsQuery(slug)).data?.items ?? [];
  const seesAll = mayOperate(useMe(), slug);
  const commands = read.data?.pages.flatMap(({ items }) => items) ?? [];
  const own = commands.filter((command) => isOfTask(command, task));
  return (
    <QueryBoundary name="Commands" read={read} rows={3}>
      {own.length === 0 ? null : (
        <DataTable
          label="About this task"
          rows={own}
          rowKey={({ id }) => id}
          columns={[
            { header: "Status", cell: ({ status }) => <CommandPill status={status} /> },
            {
              header: "Command",
              cell: ({ id, action }) => <AppLink href={paths.command(slug, id)}>{wordsOfAction(action)}</AppLink>,
            },
            agentColumn(slug, agents),
            issuedColumn,
            errorColumn,
          ]}
        />
      )}
      <p className={panel.foot}>
        {own.length === 0 ? "No command about this task" : `${count(own.length)} about this task`}
        {read.hasNextPage ? ` among the newest ${count(commands.length)} of the project. ` : ", of all that are kept."}
        {seesAll ? null : hiddenFrom(own.length)}
        {read.hasNextPage ? <OlderButton read={read}>Look further back</OlderButton> : null}
      </p>
    </QueryBoundary>
  );
}

/** What the list lacks to who may not see payloads, and what may be in it too much. */
const hiddenFrom = (shown: number): string =>
  ` Those about several tasks are hidden for your role${shown === 0 ? ". " : ", and so are engines: any of these may be about a task of the same id of another. "}`;
