import { hash } from "node:crypto";
import { idNamespaces, uuidV5 } from "../ids.ts";
import { canonicalText } from "../json/canonical.ts";
import { msInstant } from "./instants.ts";

export interface DerivedEvent {
  readonly projectId: string;
  readonly engine: string;
  readonly taskId: string;
  /** As received, also when it is stored as `unknown`. */
  readonly kind: string;
  readonly occurredAt: Date | number;
  /** Canonical text of `data` as received, number lexemes preserved (`receivedData`). */
  readonly canonicalData: string;
}

/** The row id of an event that came without a usable one (2.3 rule 2). */
export function eventIdOf({ projectId, engine, taskId, kind, occurredAt, canonicalData }: DerivedEvent): string {
  const digest = hash("sha256", canonicalData, "hex");
  return uuidV5(idNamespaces.event, canonicalText([projectId, engine, taskId, kind, msInstant(occurredAt), digest]));
}

export interface SidecarEvent {
  readonly engine: string;
  /** Names the stream inside the broker, for example key prefix and queue; never a connection address. */
  readonly source: string;
  /** The broker's own id of the event inside that stream. */
  readonly nativeId: string;
  readonly taskId: string;
  readonly kind: string;
}

/** The id that every agent watching one broker gives the same event (2.3 rule 3). */
export function sidecarEventId({ engine, source, nativeId, taskId, kind }: SidecarEvent): string {
  return uuidV5(idNamespaces.sidecarEvent, canonicalText([engine, source, nativeId, taskId, kind]));
}

/** What stands in JSON as it is. */
const plainText = /^[ !#-[\]-~]*$/;

/** The id of a task's row (2.5). */
export function taskRowId(projectId: string, engine: string, taskId: string): string {
  const isPlain = plainText.test(projectId) && plainText.test(engine) && plainText.test(taskId);
  const name = isPlain ? `["${projectId}","${engine}","${taskId}"]` : canonicalText([projectId, engine, taskId]);
  return uuidV5(idNamespaces.task, name);
}
