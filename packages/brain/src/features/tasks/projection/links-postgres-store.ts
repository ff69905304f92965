import type { PoolClient } from "pg";
import type { TaskLink } from "./links-sqlite-store.ts";

const joinText = `
  INSERT INTO task_links (project_id, engine, new_id, old_id, linked_at)
  SELECT DISTINCT ON (p, e, n) p, e, n, o, a
  FROM (
    SELECT p, e COLLATE "C" AS e, n COLLATE "C" AS n, o COLLATE "C" AS o, a
    FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::timestamptz[]) AS r (p, e, n, o, a)
  ) AS given
  ORDER BY p, e, n, a, o
  ON CONFLICT (project_id, engine, new_id) DO UPDATE SET old_id = excluded.old_id, linked_at = excluded.linked_at
  WHERE (excluded.linked_at, excluded.old_id) < (task_links.linked_at, task_links.old_id)`;

/** Joins retry links: of one new id the smallest (at, old id) stands (spec part 3, section 4.3). */
export async function joinLinks(client: PoolClient, links: readonly TaskLink[]): Promise<void> {
  if (links.length === 0) return;
  await client.query({
    name: "ingest-join-links",
    text: joinText,
    values: [
      links.map(({ projectId }) => projectId),
      links.map(({ engine }) => engine),
      links.map(({ newId }) => newId),
      links.map(({ oldId }) => oldId),
      links.map(({ at }) => new Date(at).toISOString()),
    ],
  });
}
