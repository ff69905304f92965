import type { Schedule } from "@svc/client";
import { callService, type Project } from "../api/connect.ts";
import { CliError } from "../command-line/exit-codes.ts";
import { defined } from "../command-line/option-values.ts";

export const maxPage = 500;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Schedules of the project by name, page by page. */
export async function* schedulePages(project: Project): AsyncGenerator<readonly Schedule[]> {
  let cursor: string | undefined;
  do {
    const query = { limit: maxPage, ...defined({ cursor }) };
    const page = await callService(project, ({ api, slug }) => api.listSchedules(slug, query));
    yield page.items;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
}

/**
 * Finds schedules by id or name, each once, in the given order.
 *
 * @throws CliError `notFound` for an unknown one, `usage` for a name that several schedulers use.
 */
export async function findSchedules(project: Project, words: readonly string[]): Promise<Schedule[]> {
  const named = new Map(words.filter((word) => !uuid.test(word)).map((word): [string, Schedule[]] => [word, []]));
  for await (const items of named.size === 0 ? [] : schedulePages(project)) {
    for (const schedule of items) named.get(schedule.name)?.push(schedule);
    // Equal names follow each other, also across pages.
    const mayContinue = named.has(items.at(-1)?.name ?? "");
    if (!mayContinue && [...named.values()].every((found) => found.length > 0)) break;
  }
  const found = new Map<string, Schedule>();
  for (const word of words) {
    const schedule = uuid.test(word)
      ? await callService(project, ({ api, slug }) => api.getSchedule(slug, word), `schedule ${word}`)
      : onlyOne(word, named.get(word) ?? [], project.slug);
    found.set(schedule.id, schedule);
  }
  return [...found.values()];
}

function onlyOne(name: string, found: readonly Schedule[], slug: string): Schedule {
  const [only, ...others] = found;
  if (only === undefined) throw new CliError("notFound", `schedule ${name} not found in project ${slug}`);
  if (others.length === 0) return only;
  const ids = found.map(({ id, scheduler }) => `${id} (${scheduler})`).join(", ");
  throw new CliError("usage", `several schedulers have a schedule "${name}". Use its id: ${ids}`);
}
