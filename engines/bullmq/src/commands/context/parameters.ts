import type { Command } from "@svc/agent";
import { Refusal } from "./refusal.ts";

type Parameters = Command["parameters"];

/** @throws Refusal when it is not a string of 1–1024 characters. */
export function readText(parameters: Parameters, name: string): string {
  const value = parameters[name];
  if (typeof value !== "string" || value === "" || value.length > 1024)
    throw new Refusal(`${name} must be 1–1024 characters`);
  return value;
}

/** Undefined when it is absent or null. */
export function readOptionalText(parameters: Parameters, name: string): string | undefined {
  const { [name]: value } = parameters;
  return value === undefined || value === null || value === "" ? undefined : readText(parameters, name);
}

/** @throws Refusal when it is not a whole number in range. */
export function readCount(parameters: Parameters, name: string, { least, most }: { least: number; most: number }) {
  const value = parameters[name];
  if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most)
    throw new Refusal(`${name} must be a whole number, ${least}–${most}`);
  return value;
}

/** Unix milliseconds. @throws Refusal when it is not an ISO 8601 time. */
export function readInstant(parameters: Parameters, name: string): number | undefined {
  const text = readOptionalText(parameters, name);
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Refusal(`${name} must be an ISO 8601 time`);
  return ms;
}
