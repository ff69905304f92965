import { beforeAll, describe, expect, test } from "vitest";
import { nameIn, schemaFaults } from "../../../test/fixtures/api-schemas.ts";
import { openApiText } from "./docs.ts";

type Json = Record<string, unknown>;
interface Response {
  readonly $ref?: string;
  readonly description?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, { readonly schema: Json }>>;
}
interface Operation {
  readonly id: string;
  readonly method: string;
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly description?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> };
  readonly responses: Readonly<Record<string, Response>>;
}
interface ApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Response>>;
  };
}

let document: ApiDocument;
let operations: readonly Operation[];
beforeAll(async () => {
  document = JSON.parse(await openApiText());
  operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, method, id: `${method} ${path}` })),
  );
});

/** A reference, a list and a union may leave the description to their elements. */
function isDescribed(schema: Json): boolean {
  const held = [document.components.schemas[nameIn(schema) ?? ""], schema.items, ...((schema.anyOf ?? []) as Json[])];
  return schema.description !== undefined || held.some((each) => each !== undefined && isDescribed(each as Json));
}

/** Paths of the members without a description. */
function undescribed(place: string, schema: Json): string[] {
  const within = [schema.items, ...((schema.anyOf ?? []) as Json[])].filter((each) => each !== undefined) as Json[];
  return [
    ...within.flatMap((each) => undescribed(place, each)),
    ...Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([name, member]) => [
      ...(isDescribed(member) ? [] : [`${place}.${name}`]),
      ...undescribed(`${place}.${name}`, member),
    ]),
  ];
}

const jsonOf = ({ content }: { content?: Response["content"] }) => content?.["application/json"]?.schema;
const successesOf = ({ responses }: Operation) =>
  Object.entries(responses).flatMap(([status, response]) => (status.startsWith("2") ? [response] : []));

describe("the API document", () => {
  test("names every operation by a verb, each name once", () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name) => !/^[a-z]+([A-Z][A-Za-z]*)?$/.test(name ?? ""))).toEqual([]);
    expect(names.filter((name) => /^(post|put|patch|delete$)/.test(name ?? ""))).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  test("describes every operation, parameter, response and group", () => {
    const missing = operations.flatMap(({ id, summary = "", description, parameters = [], responses, tags }) => [
      ...(summary === "" || summary.length > 60 || summary.endsWith(".") ? [`${id}: summary`] : []),
      ...(description?.includes("Requires ") || description?.includes("optional") ? [] : [`${id}: description`]),
      ...parameters.filter((each) => !each.description).map((each) => `${id}: ${each.in} ${each.name}`),
      ...Object.entries(responses)
        .filter(([, each]) => !each.$ref && !each.description)
        .map(([status]) => `${id}: ${status}`),
      ...tags.filter((tag) => !document.tags.some(({ name }) => name === tag)).map((tag) => `${id}: group ${tag}`),
    ]);
    expect(missing).toEqual([]);
  });

  test("uses named schemas, or lists of them, in responses", () => {
    const unnamed = operations.flatMap((operation) =>
      successesOf(operation).flatMap((response) => {
        const schema = jsonOf(response);
        return schema === undefined || nameIn(schema) || nameIn(schema.items as Json) ? [] : [operation.id];
      }),
    );
    expect(unnamed).toEqual([]);
    expect(
      operations.filter(({ requestBody }) => requestBody && !nameIn(jsonOf(requestBody))).map(({ id }) => id),
    ).toEqual([]);
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(
        ["Agent", "AgentProcess", "ApiKey", "AuditRow", "BulkRetryRequest", "Command", "DeadLetter", "Error"].concat([
          "Invitation",
          "Issue",
          "Member",
          "Project",
          "Queue",
          "SavedView",
          "Task",
          "TaskCause",
          "TaskEvent",
          "Worker",
        ]),
      ),
    );
  });

  test("has a response without a body for every 204, and with a body for every other success", () => {
    const wrong = operations.flatMap(({ id, responses }) =>
      Object.entries(responses).flatMap(([status, { content }]) =>
        status.startsWith("2") && (status === "204") !== (content === undefined) ? [`${id} ${status}`] : [],
      ),
    );
    expect(wrong).toEqual([]);
  });

  test("describes every member of every named schema, and of objects within", () => {
    const { schemas } = document.components;
    const missing = Object.entries(schemas).flatMap(([name, schema]) => undescribed(name, schema));
    expect(missing).toEqual([]);
  });

  test("documents the request id of every response", () => {
    const answers = operations.flatMap(({ id, responses }) =>
      Object.entries(responses).map(([status, response]) => [`${id} ${status}`, response] as const),
    );
    const own = [...answers, ...Object.entries(document.components.responses)].filter(([, { $ref }]) => !$ref);
    expect(own.filter(([, { headers }]) => headers?.["X-Request-Id"] === undefined).map(([place]) => place)).toEqual(
      [],
    );
  });

  test("publishes the type of a value that the handler validates itself", () => {
    expect(document.components.schemas.InvitationAccept?.properties).toMatchObject({
      display_name: { type: "string", maxLength: 200 },
      password: { type: "string", minLength: 8, maxLength: 256 },
    });
  });
});

/** Operations with an example of request and response. */
const mostUsed = [
  ...[
    "login",
    "getMe",
    "listProjects",
    "createProject",
    "listTasks",
    "getTask",
    "explainTask",
    "listIssues",
    "listEvents",
  ],
  ...["getStats", "listQueues", "listWorkers", "listAgents", "createAgent", "listCommands", "getCommand", "retryTask"],
  ...["cancelTask", "purgeQueue", "createBulkRetry", "getBulkRetry", "listDeadLetters", "listAudit", "createApiKey"],
];

describe("the examples", () => {
  test.each(mostUsed)("of %s exist for request and response", (name) => {
    const operation = operations.find(({ operationId }) => operationId === name);
    const schemas = [
      ...(operation?.requestBody === undefined ? [] : [jsonOf(operation.requestBody)]),
      ...(operation === undefined ? [undefined] : successesOf(operation).map(jsonOf)),
    ];
    for (const schema of schemas) {
      const known = nameIn(schema) ?? nameIn(schema?.items as Json) ?? "";
      expect(document.components.schemas[known]?.examples, known).toHaveLength(1);
    }
  });

  test("are valid and have no member that is not in their schema", () => {
    const examples = Object.entries(document.components.schemas).flatMap(([name, { examples }]) =>
      ((examples ?? []) as unknown[]).map((example) => ({ name, example })),
    );
    expect(examples.length).toBeGreaterThan(30);
    for (const { name, example } of examples)
      expect(schemaFaults(document, document.components.schemas[name], example), name).toEqual([]);
  });

  test("are refused when a member is missing or unknown", () => {
    const schema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] };
    const faults = [{ id: "1" }, {}, { id: "1", more: 1 }].map(
      (example) => schemaFaults(document, schema, example).length,
    );
    expect(faults.map((count) => count > 0)).toEqual([false, true, true]);
  });
});
