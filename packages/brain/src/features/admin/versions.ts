import { ApiError } from "../../platform/http/error-codes.ts";
import type { Core } from "../../schema/tables/index.ts";
import { fetchManifest } from "./manifest.ts";
import type { VersionManifest, VersionsAnswer } from "./schemas.ts";
import { readVersions, saveVersions } from "./store.ts";

export interface VersionsDeps extends Core {
  /** Version of every package of this release. */
  readonly version: string;
  readonly settings: { readonly SVC_VERSION_CHECK_URL: string };
}

interface Stored {
  manifest: VersionManifest;
  fetchedAt: string;
  fetchedFrom: string;
}

/** Packages that teams install; a release updates all of them together. */
const released = ["@svc/agent", "@svc/brain", "@svc/cli", "@svc/client", "@svc/protocol"];

/** Known versions, from this release or the version check. */
export function createVersions({ database, clock, version, settings }: VersionsDeps) {
  const url = settings.SVC_VERSION_CHECK_URL.trim();
  const asked = url === "" ? null : url;
  const answer = ({ manifest, fetchedAt, fetchedFrom }: Stored): VersionsAnswer => ({
    ...manifest,
    source: "remote",
    fetched_at: fetchedAt,
    fetched_from: fetchedFrom,
    check_for_updates_url: asked,
  });

  return {
    /** The newest known versions; sends no request. */
    async snapshot(): Promise<VersionsAnswer> {
      const stored = await readVersions(database.read);
      if (stored !== undefined) return answer(JSON.parse(stored) as Stored);
      return {
        packages: Object.fromEntries(released.map((name) => [name, version])),
        schema_version: 1,
        generated_at: null,
        generated_by: `svc ${version}`,
        canonical_url: null,
        source: "bundled",
        fetched_at: null,
        fetched_from: null,
        check_for_updates_url: asked,
      };
    },
    /** Fetches the configured URL once and stores the answer for every process. @throws ApiError `not_found`, `conflict` */
    async check(): Promise<VersionsAnswer> {
      if (asked === null) throw new ApiError("not_found", { reason: "check_disabled" });
      const manifest = await fetchManifest(asked);
      const stored: Stored = { manifest, fetchedAt: clock.now().toISOString(), fetchedFrom: asked };
      await database.write((tx) => saveVersions(tx, JSON.stringify(stored)));
      return answer(stored);
    },
  };
}

export type Versions = ReturnType<typeof createVersions>;
