/** The client's calls: a function for each operation of the API document. */
import { type ApiDocument, comment, type Operation, operationsOf, queryName, typeText } from "./client-types.ts";

const base = "/api/v1";

/** Operations without a call in the client, and the reasons. */
export const withoutCall: Readonly<Record<string, string>> = {
  uploadFrames: "for agents, which sign their frames",
  pollCommands: "for agents, which sign their frames",
  getAgentFile: "downloaded with curl on the agent's machine",
  getAgentManifest: "outside /api/v1; the dashboard reads it with the file",
  getHealth: "a probe, for load balancers and supervisors",
  getReadiness: "a probe, for load balancers and supervisors",
  completeSetup: "the page at /setup posts its own form",
  getUser: "listUsers returns the same for all users",
};

/** Operations whose call is in packages/client/src/hand-written-calls.ts, and the reasons. */
const handWritten: Readonly<Record<string, string>> = {
  listTasks: "as a page and as a file",
  listAudit: "as a page and as a file",
  deleteTasks: "by ids and by filter",
  listAgentStatus: "with the type of samples",
  getDeepHealth: "its 503 is a valid answer",
};

/** Each call takes the path parameters, then the query or body, then the call options. */
export function clientCalls({ paths, components }: ApiDocument): string {
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { operationId }]) => !(operationId in withoutCall || operationId in handWritten))
      .map(([method, operation]) => callText(method.toUpperCase(), path.replace(base, ""), operation)),
  );
  const text = calls.join("");
  const queries = operationsOf(paths).map(({ operationId }) => queryName(operationId));
  const declared = [...Object.keys(components.schemas), ...queries];
  const used = declared.filter((name) => new RegExp(`\\b${name}\\b`).test(text)).sort();
  return `// Generated from openapi.json by \`npm run docs\`; a check fails when this file is stale.

import { type CallOptions, pathOf, type Send } from "../request.ts";
import type {
${used.map((name) => `  ${name},\n`).join("")}} from "./api.generated.ts";

/** A function for each operation: parts of its path, then its query or body, then how it is called. */
export function operationCalls(send: Send) {
  return {
${text}  };
}
`;
}

function callText(method: string, path: string, operation: Operation): string {
  const { operationId, summary, requestBody, responses = {} } = operation;
  const parts = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => `${camel(name)}: string`);
  const query = operation.parameters?.filter((parameter) => parameter.in === "query") ?? [];
  const given: string[] = [];
  const sent: string[] = [];
  if (query.length > 0) {
    given.push(`query: ${queryName(operationId)}${query.some(({ required }) => required) ? "" : " = {}"}`);
    sent.push("query");
  }
  if (requestBody !== undefined) {
    given.push(`body: ${jsonType(requestBody)}${requestBody.required === false ? " = {}" : ""}`);
    sent.push("body");
  }
  const [success] = Object.entries(responses).filter(([status]) => status.startsWith("2"));
  const answer = success === undefined ? "void" : jsonType(success[1]);
  const parameters = [...parts, ...given, "call?: CallOptions"].join(", ");
  const url =
    parts.length === 0 ? `"${path}"` : `pathOf\`${path.replaceAll(/\{(\w+)\}/g, (_, name) => `\${${camel(name)}}`)}\``;
  const options = sent.length === 0 ? "call" : `{ ...call, ${sent.join(", ")} }`;
  return `${comment(summary, "    ")}    ${operationId}: (${parameters}) =>\n      send<${answer}>("${method}", ${url}, ${options}),\n`;
}

function jsonType({ content = {} }: NonNullable<Operation["requestBody"]>): string {
  const schema = content["application/json"]?.schema;
  return schema === undefined ? "void" : typeText(schema);
}

const camel = (name: string): string => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
