import { type TaskColumn, taskFields } from "../task-fields.ts";

/**
 * Code for task rows, compiled once from the table of fields. Every row of a batch passes through it; a loop over columns with dynamic
 * member access would take a noticeable part of the ingest time.
 */
const compile = <Code>(parameters: string, expression: string): Code =>
  new Function(`"use strict"; return (${parameters}) => ${expression};`)() as Code;

/** Reads a member. */
export const readerOf = <Row extends object, Value>(member: string): ((row: Row) => Value) =>
  compile("row", `row.${member}`);

/** Copies members from one row to another. */
export const copierOf = <To, From>(columns: readonly TaskColumn[]): ((to: To, from: From) => void) =>
  compile("to, from", `{ ${columns.map((column) => `to.${column} = from.${column};`).join(" ")} }`);

/** A row from an array of its members' values. */
export const builderOf = <Row, Value>(members: readonly string[], codeOf: ValueCode): ((values: Value[]) => Row) =>
  compile(
    "values",
    `({ ${members.map((member, index) => `${member}: ${codeOf(member, `values[${index}]`)}`).join(", ")} })`,
  );

/** Like `builderOf`, for rows of which few members are read: they are read from the array on access. Such a row cannot be spread. */
export const viewOf = <Row, Value>(members: readonly string[], codeOf: ValueCode): ((values: Value[]) => Row) => {
  const getters = members.map(
    (member, index) => `get ${member}() { return ${codeOf(member, `this.values[${index}]`)}; }`,
  );
  const viewClass = `class { constructor(values) { this.values = values; } ${getters.join(" ")} }`;
  const View = compile<() => new (values: Value[]) => Row>("", viewClass)();
  return (values) => new View(values);
};

/** An array of a row's values in some columns. */
export const valuesOf = <Row, Value>(columns: readonly TaskColumn[], codeOf: ValueCode): ((row: Row) => Value[]) =>
  compile("row", `[${columns.map((column) => codeOf(column, `row.${column}`)).join(", ")}]`);

/** The columns, at most 31, in which two rows differ: one bit each, the first one the lowest. */
export const differenceOf = <Row>(columns: readonly TaskColumn[]): ((a: Row, b: Row) => number) =>
  compile("a, b", columns.map((column, index) => `(a.${column} === b.${column} ? 0 : ${2 ** index})`).join(" | "));

/** The code of a column's value, from the code that reads it. */
type ValueCode = (column: string, read: string) => string;

export const asItIs: ValueCode = (_, read) => read;
/** Multiplies instants by a factor. */
export const instantsTimes =
  (factor: string): ValueCode =>
  (column, read) =>
    taskFields[column as TaskColumn].type === "instant" ? `(${read} === null ? null : ${read} ${factor})` : read;
