import { readFile } from "node:fs/promises";
import printer from "fast-json-stringify";
import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { expect, test } from "vitest";
import { compileSerializer } from "./serialization.ts";

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly schema: object }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}

const document = JSON.parse(await readFile(new URL("../../../../../client/openapi.json", import.meta.url), "utf8")) as {
  readonly components?: object;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
const schemasOf = ({ content = {} }: Content) =>
  Object.values(content).flatMap(({ schema }) => (schema === undefined ? [] : [schema]));
/** The schema with the components that it refers to. */
const whole = (schema: object) => ({ ...schema, components: document.components }) as never;

test("prints what the schema names, and nothing else", () => {
  const schema = Type.Object({ name: Type.String(), secret: Type.Optional(Type.String()) });
  const print = compileSerializer({ schema });
  expect(print({ name: "mail", token: "t" })).toBe('{"name":"mail"}');
  expect(() => compileSerializer({ schema })({})).toThrow('"name" is required');
});

// They are compiled when a request first needs them, so the start does not reveal a schema that cannot be compiled.
test("the function of every answer can be generated, and every check of a request compiled", () => {
  expect(operations.length).toBeGreaterThan(100);
  for (const { operationId, parameters = [], requestBody = {}, responses } of operations) {
    for (const schema of Object.values(responses).flatMap(schemasOf))
      expect(() => printer(whole(schema)), operationId).not.toThrow();
    for (const schema of [...parameters.map(({ schema }) => schema), ...schemasOf(requestBody)])
      expect(() => Compile(schema), operationId).not.toThrow();
  }
});
