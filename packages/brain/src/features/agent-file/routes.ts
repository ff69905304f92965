import { Type } from "typebox";
import { operation, type Routes } from "../../platform/http/app.ts";
import { sendStaticFile } from "../../platform/http/documents/static-files.ts";
import type { AgentFile } from "./agent-file.ts";
import { AgentFileQuery, AgentManifest } from "./schemas.ts";

/** /agent, outside /api/v1: the first download of a machine without svc. */
export const agentFileRoutes: Routes<{ agentFile: AgentFile }> = (app, { agentFile }) => {
  operation(app, "GET /agent/svc-agent.mjs", {
    operationId: "getAgentFile",
    summary: "Download the agent",
    description:
      "Returns the agent with all engines as one ES module. Run it with `node svc-agent.mjs bullmq …`; no installation is needed. The answer has an `ETag`.",
    answers: {
      200: {
        description: "The file.",
        content: { "text/javascript": "The source of the agent." },
        headers: { ETag: "Digest of the file." },
      },
      404: "This service was built without the agent file.",
    },
    querystring: AgentFileQuery,
    response: { 200: Type.Unsafe<unknown>(Type.Null()) },
    policy: { tag: "agent-file", public: true },
    handler(request, reply) {
      const { file, manifest } = agentFile.current();
      sendStaticFile({ ...file, isImmutable: request.query.version === manifest.version }, request, reply);
      return reply;
    },
  });

  operation(app, "GET /agent/manifest.json", {
    operationId: "getAgentManifest",
    summary: "Get version and digest of the agent file",
    description: "Returns the version, the SHA-256 and the size of the agent file, and the Node versions it needs.",
    answers: { 404: "This service was built without the agent file." },
    response: { 200: AgentManifest },
    policy: { tag: "agent-file", public: true },
    handler(_request, reply) {
      reply.header("cache-control", "no-cache");
      return agentFile.current().manifest;
    },
  });
};
