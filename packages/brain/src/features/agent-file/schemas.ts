import { type Static, Type } from "typebox";

export const AgentManifest = Type.Object(
  {
    version: Type.String({ description: "version of the agent" }),
    sha256: Type.String({ pattern: "^[0-9a-f]{64}$", description: "SHA-256 of the file, in hex" }),
    bytes: Type.Integer({ minimum: 1, description: "size of the file" }),
    node: Type.String({ description: "versions of Node that can run the file, such as `>=22.16`" }),
  },
  { title: "AgentManifest", description: "Version, digest and size of the agent file." },
);
export type AgentManifest = Static<typeof AgentManifest>;

export const AgentFileQuery = Type.Object({
  version: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "version of the agent; if it matches the served one, the answer may be cached for a year",
    }),
  ),
});
