import { createHash } from "node:crypto";
import { builtFolder, readStaticFiles, type StaticFile } from "../../platform/http/documents/static-files.ts";
import { ApiError } from "../../platform/http/error-codes.ts";
import type { Log } from "../../platform/log.ts";
import type { AgentManifest } from "./schemas.ts";

const fileName = "svc-agent.mjs";

/** The agent as one file, read at start if it was built, and served from memory. */
export function createAgentFile({ log }: { log: Log }) {
  let loaded: { readonly manifest: AgentManifest; readonly file: StaticFile } | null = null;
  return {
    async load(folder = builtFolder("@svc/cli", `agent/${fileName}`)): Promise<void> {
      const files = folder === null ? undefined : await readStaticFiles(`${folder}/agent`);
      const file = files?.get(`/${fileName}`);
      const manifest = files?.get("/manifest.json");
      if (file === undefined || manifest === undefined) {
        log.warn("agent_file.not_built", { hint: "npm run build" });
        return;
      }
      loaded = { manifest: JSON.parse(manifest.plain.toString("utf8")) as AgentManifest, file };
      const sha256 = createHash("sha256").update(file.plain).digest("hex");
      if (sha256 === loaded.manifest.sha256) return;
      loaded = null;
      log.warn("agent_file.damaged", { sha256, hint: "npm run build" });
    },
    /** @throws ApiError `not_found` when there is no build of it. */
    current() {
      if (loaded === null)
        throw new ApiError("not_found", {}, { message: "this service was built without the agent file" });
      return loaded;
    },
  };
}

export type AgentFile = ReturnType<typeof createAgentFile>;
