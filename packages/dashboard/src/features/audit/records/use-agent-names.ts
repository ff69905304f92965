import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { agentsQuery } from "../../agents/index.ts";
import type { Names } from "../labels.ts";

/** Names of the open project's agents by id; empty outside of a project. */
export function useAgentNames(): Names {
  const { slug } = useParams({ strict: false });
  const { data } = useQuery({ ...agentsQuery(slug ?? ""), enabled: slug !== undefined });
  return useMemo(() => new Map(data?.items.map(({ id, name }) => [id, name])), [data]);
}
