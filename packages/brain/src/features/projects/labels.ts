export interface ProjectLabelsDeps {
  /** Slugs of the active projects among these ids. */
  slugsOf(projectIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The look failed: what waited for it is not counted. */
  onError(error: unknown): void;
  readonly maxRemembered?: number;
}

const defaultMaxRemembered = 10_000;

/** The labels of projects in metrics, remembered so that counting costs a look into a map. */
export function createProjectLabels(deps: ProjectLabelsDeps) {
  const { slugsOf, onError, maxRemembered = defaultMaxRemembered } = deps;
  // Null stands for a project without label, so that a late batch of an archived one is not looked up again and again.
  const remembered = new Map<string, string | null>();
  let changes = 0;

  function remember(projectId: string, slug: string | null): void {
    if (remembered.size >= maxRemembered) {
      const [oldest] = remembered.keys();
      if (oldest !== undefined) remembered.delete(oldest);
    }
    remembered.set(projectId, slug);
  }

  async function learn(projectIds: readonly string[], work: () => void): Promise<void> {
    for (;;) {
      const changesBefore = changes;
      const slugs = await slugsOf(projectIds);
      // A project may have got another name while we looked.
      if (changes !== changesBefore) continue;
      for (const id of projectIds) remember(id, slugs.get(id) ?? null);
      work();
      return;
    }
  }

  return {
    /** The slug of a project, which is its label in metrics; undefined for one that is archived, gone, or not looked up yet. */
    of: (projectId: string) => remembered.get(projectId) ?? undefined,
    /** Runs `work` once it is known what `of` says of these projects: at once, when it is already. */
    whenKnown(projectIds: ReadonlySet<string>, work: () => void) {
      const unknown = [...projectIds].filter((id) => !remembered.has(id));
      if (unknown.length === 0) work();
      else learn(unknown, work).catch(onError);
    },
    /** Hears what a project is called now, null when it is archived; gives the label whose series end, or null when none do. */
    changed(projectId: string, slug: string | null): string | null {
      const former = remembered.get(projectId);
      if (former === slug) return null;
      // Looked up again at next use, because news of two changes may come in the wrong order.
      changes += 1;
      remembered.delete(projectId);
      return former ?? null;
    },
  };
}

export type ProjectLabels = ReturnType<typeof createProjectLabels>;
