import { lockSubject } from "../../platform/database/dialects/locks.ts";
import { isUniqueViolation } from "../../platform/database/errors.ts";
import { storedJson } from "../../platform/database/values/stored-json.ts";
import { ApiError, invalid } from "../../platform/http/error-codes.ts";
import { uuidV7 } from "../../platform/ids.ts";
import type { Core, SavedViewRow } from "../../schema/tables/index.ts";
import type { SavedView, SavedViewBody } from "./schemas.ts";
import { countViews, deleteView, insertView, listViews, type Owner, updateView } from "./store.ts";

/** Maximum views of one user in one project: few enough for a menu, and for a single page. */
const maxViews = 100;
const maxNameCharacters = 80;

/** Filters of the task list that users save under a name. */
export function createSavedViews({ database, clock }: Core) {
  return {
    async list(owner: Owner): Promise<SavedView[]> {
      return (await listViews(database.read, owner, maxViews)).map(publicView);
    },
    /** @throws ApiError `conflict` for a name in use or too many views, `validation_error` for an invalid name. */
    async create(owner: Owner, body: SavedViewBody): Promise<SavedView> {
      const now = clock.now();
      const row: SavedViewRow = {
        id: uuidV7(clock),
        user_id: owner.userId,
        project_id: owner.projectId,
        ...kept(body),
        created_at: now,
        updated_at: now,
      };
      await refusingTakenName(() =>
        database.write(async (tx) => {
          await lockSubject(tx, `saved-views:${owner.userId}:${owner.projectId}`);
          if ((await countViews(tx, owner)) >= maxViews)
            throw new ApiError("conflict", { reason: "too_many_views", maximum: maxViews });
          await insertView(tx, row);
        }),
      );
      return publicView(row);
    },
    /** Replaces the name and the filters of a view. @throws as `create` does, and `not_found`. */
    async replace(owner: Owner, id: string, body: SavedViewBody): Promise<SavedView> {
      const changes = { ...kept(body), updated_at: clock.now() };
      const row = await refusingTakenName(() => database.write((tx) => updateView(tx, owner, id, changes)));
      if (row === undefined) throw unknownView();
      return publicView(row);
    },
    /** @throws ApiError `not_found`. */
    async remove(owner: Owner, id: string) {
      if (!(await database.write((tx) => deleteView(tx, owner, id)))) throw unknownView();
    },
  };
}

export type SavedViews = ReturnType<typeof createSavedViews>;

const unknownView = () => new ApiError("not_found", { resource: "saved_view" });

async function refusingTakenName<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isUniqueViolation(error)) throw new ApiError("conflict", { reason: "name_in_use" }, { cause: error });
    throw error;
  }
}

function kept({ name, filters }: SavedViewBody): Pick<SavedViewRow, "name" | "filters"> {
  return { name: readName(name), filters: storedJson(restricting(filters)) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds control characters
const controlCharacter = /[\x00-\x1f\x7f]/;

function readName(given: string): string {
  const name = given.trim();
  const characters = [...name].length;
  if (characters >= 1 && characters <= maxNameCharacters && !controlCharacter.test(name)) return name;
  const message = `must have 1 to ${maxNameCharacters} characters, not counting surrounding spaces, and no control characters`;
  throw invalid({ loc: ["body", "name"], type: "length", message });
}

type Filters = SavedView["filters"];

/** The effective filters, each priority once, in a fixed order on both databases. */
function restricting(given: SavedViewBody["filters"]): Filters {
  const { state, priority } = given;
  const texts = (["search", "queue", "name", "worker", "engine", "q"] as const).flatMap((key) => {
    const text = given[key];
    return text === undefined || text === null || text === "" ? [] : [[key, text] as const];
  });
  return {
    ...(state != null && { state }),
    ...(priority != null && priority.length > 0 && { priority: [...new Set(priority)] }),
    ...Object.fromEntries(texts),
  };
}

function publicView({ id, name, filters, created_at, updated_at }: SavedViewRow): SavedView {
  return { id, name, filters: restricting(JSON.parse(filters) as Filters), created_at, updated_at };
}
