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
  /** Of the task itself: null when the project has no such task, or none any more. */
  read: UseQueryResult<Task | null>;
  events: TaskEvent[];
  eventsQuery: ReturnType<typeof useEventsQuery>;
  attempts: Attempt[];
  treeQuery: ReturnType<typeof useTreeQuery>;
  /** The newest commands that act on it, newest first. */
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

/** A task with its events and family; read again when the hub says that it changed, or by poll, slower once it is finished. */
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

  // A poll that finds the task changed must bring its events along.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the task's stamp changes
  useEffect(() => onUpdated(), [id, updatedAt]);

  const events = eventsQuery.data?.items ?? noEvents;
  const attempts = useMemo(() => {
    const told = attemptsOf(events);
    return told.length > 0 || !task.data ? told : attemptOfTask(task.data);
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
