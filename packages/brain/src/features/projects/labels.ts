export interface ProjectLabelsDeps {
  /** Slugs of the active projects among these ids. */
  slugsOf(projectIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The lookup failed: the work that waited for it is not counted. */
  onError(error: unknown): void;
  readonly maxRemembered?: number;
}

const defaultMaxRemembered = 10_000;

/** Labels of projects in metrics, cached so that counting only needs a map lookup. */
export function createProjectLabels(deps: ProjectLabelsDeps) {
  const { slugsOf, onError, maxRemembered = defaultMaxRemembered } = deps;
  // Null marks a project without a label, so that late batches of an archived project do not query the database each time.
  const remembered = new Map<string, string | null>();
  let changes = 0;

  function remember(projectId: string, slug: string | null): void {
    if (remembered.size >= maxRemembered) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    remembered.set(projectId, slug);
  }

  async function load(projectIds: readonly string[], work: () => void): Promise<void> {
    for (;;) {
      const changesBefore = changes;
      const slugs = await slugsOf(projectIds);
      // A project may have been renamed during the query.
      if (changes !== changesBefore) continue;
      for (const id of projectIds) remember(id, slugs.get(id) ?? null);
      work();
      return;
    }
  }

  return {
    /** The slug of a project, which is its label in metrics; undefined when it is archived, deleted or not loaded yet. */
    of: (projectId: string) => remembered.get(projectId) ?? undefined,
    /** Runs `work` once `of` is known for these projects: immediately when it already is. */
    whenKnown(projectIds: ReadonlySet<string>, work: () => void) {
      const unknown = [...projectIds].filter((id) => !remembered.has(id));
      if (unknown.length === 0) work();
      else load(unknown, work).catch(onError);
    },
    /** Takes a project's current slug, null when it is archived; returns the label whose series end, or null when none do. */
    changed(projectId: string, slug: string | null): string | null {
      const former = remembered.get(projectId);
      if (former === slug) return null;
      // Loaded again at the next use, because notifications of two changes may arrive out of order.
      changes += 1;
      remembered.delete(projectId);
      return former ?? null;
    },
  };
}

export type ProjectLabels = ReturnType<typeof createProjectLabels>;
