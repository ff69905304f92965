import type { Task, TaskCommand, TaskEvent } from "@svc/client";
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent, useMemo, useRef } from "react";
import { readSoon } from "../../../live/declared.ts";
import { usePollMs } from "../../../live/live.ts";
import { taskEventsQuery, taskQuery, taskSpacingMs } from "../../task-data/index.ts";
import { type Attempt, attemptOfTask, attemptsOf } from "./attempts/attempts.ts";
import { taskCommandsQuery, taskTreeQuery } from "./detail-queries.ts";
import { taskPollMs } from "./history/lifecycle.ts";

export interface TaskDetail {
  /** The task itself; its data is null when the project has no such task. */
  read: UseQueryResult<Task | null>;
  events: TaskEvent[];
  eventsQuery: ReturnType<typeof useEventsQuery>;
  attempts: Attempt[];
  treeQuery: ReturnType<typeof useTreeQuery>;
  /** The newest commands on this task, newest first. */
  commands: readonly TaskCommand[];
  commandsQuery: ReturnType<typeof useCommandsQuery>;
}

function useEventsQuery(slug: string, engine: string, taskId: string) {
  return useQuery(taskEventsQuery(slug, engine, taskId));
}

function useTreeQuery(slug: string, engine: string, taskId: string) {
  return useQuery(taskTreeQuery(slug, engine, taskId));
}

function useCommandsQuery(slug: string, engine: string, taskId: string) {
  return useQuery({ ...taskCommandsQuery(slug, engine, taskId), refetchInterval: usePollMs() });
}

/** A task with its events and family, refreshed by change events or by polling, which slows down once the task is finished. */
export function useTaskDetail(slug: string, engine: string, taskId: string): TaskDetail {
  const client = useQueryClient();
  const pollMs = usePollMs();
  const task = useQuery({
    ...taskQuery(slug, engine, taskId),
    refetchInterval: (query) => (pollMs === false ? false : taskPollMs(query.state.data?.state, pollMs)),
  });
  const eventsQuery = useEventsQuery(slug, engine, taskId);
  const treeQuery = useTreeQuery(slug, engine, taskId);
  const commandsQuery = useCommandsQuery(slug, engine, taskId);

  // When a poll finds that the task changed, its events must be refreshed too.
  const updatedAt = task.data?.updated_at;
  const id = task.data?.id;
  const seen = useRef({ id, updatedAt });
  const onUpdated = useEffectEvent(() => {
    const { current: last } = seen;
    if (id !== undefined && last.id === id && last.updatedAt !== updatedAt) {
      for (const name of ["task", "task-events", "task-tree", "task-explanation"]) {
        const queries = client.getQueryCache().findAll({ queryKey: [name, slug, engine, taskId] });
        for (const query of queries) readSoon(client, query, taskSpacingMs);
      }
    }
    seen.current = { id, updatedAt };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the task's timestamp changes
  useEffect(() => onUpdated(), [id, updatedAt]);

  const events = eventsQuery.data?.items ?? noEvents;
  const attempts = useMemo(() => {
    const reported = attemptsOf(events);
    return reported.length > 0 || !task.data ? reported : attemptOfTask(task.data);
  }, [events, task.data]);

  return {
    read: task,
    events,
    eventsQuery,
    attempts,
    treeQuery,
    commands: commandsQuery.data?.items ?? noCommands,
    commandsQuery,
  };
}

const noEvents: TaskEvent[] = [];
const noCommands: readonly TaskCommand[] = [];
