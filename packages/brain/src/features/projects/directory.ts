import type { Clock } from "../../platform/clock.ts";
import type { ProjectEntry, Role } from "../../platform/http/access/actor.ts";

type KnownProject = Omit<ProjectEntry, "role">;

export interface DirectorySource {
  bySlug(slug: string): Promise<KnownProject | null>;
  role(userId: string, projectId: string): Promise<Role | null>;
}

/**
 * How long a result is cached. A change in this process clears the cache immediately; a change in another one by notification or expiry.
 */
const rememberMs = 1000;
const maxRemembered = 10_000;

/** Resolves a slug for a user, with a short-lived cache because every project request needs it. Answers synchronously on a cache hit. */
export function createDirectory(source: DirectorySource, clock: Pick<Clock, "monotonicMs">) {
  const projects = createMemory<KnownProject | null>(clock);
  const roles = createMemory<Role | null>(clock);

  function roleIn(project: KnownProject, userId: string): ProjectEntry | Promise<ProjectEntry> {
    const key = `${userId} ${project.id}`;
    const known = roles.recall(key);
    if (known !== undefined) return { ...project, role: known };
    return roles.learn(key, () => source.role(userId, project.id)).then((role) => ({ ...project, role }));
  }

  return {
    find(slug: string, userId: string): ProjectEntry | null | Promise<ProjectEntry | null> {
      // No slug is that long; such a text must not fill the cache.
      if (slug.length > 63) return null;
      const known = projects.recall(slug);
      if (known !== undefined) return known === null ? null : roleIn(known, userId);
      return projects
        .learn(slug, () => source.bySlug(slug))
        .then((project) => (project === null ? null : roleIn(project, userId)));
    },
    /** Clears the cache: a project or membership changed. */
    forget() {
      projects.forget();
      roles.forget();
    },
  };
}

function createMemory<Value>(clock: Pick<Clock, "monotonicMs">) {
  const entries = new Map<string, { value: Value; untilMs: number }>();
  let forgotten = 0;
  return {
    recall(key: string): Value | undefined {
      const entry = entries.get(key);
      return entry !== undefined && entry.untilMs > clock.monotonicMs() ? entry.value : undefined;
    },
    async learn(key: string, look: () => Promise<Value>): Promise<Value> {
      const forgottenBefore = forgotten;
      const value = await look();
      // A change during the read makes its result stale, so it is not cached.
      if (forgotten !== forgottenBefore) return value;
      entries.delete(key);
      if (entries.size >= maxRemembered) {
        const [oldest] = entries.keys();
        if (oldest !== undefined) entries.delete(oldest);
      }
      entries.set(key, { value, untilMs: clock.monotonicMs() + rememberMs });
      return value;
    },
    forget() {
      forgotten += 1;
      entries.clear();
    },
  };
}
