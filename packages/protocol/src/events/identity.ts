import { hash } from "node:crypto";
import { idNamespaces, uuidV5 } from "../ids.ts";
import { canonicalText } from "../json/canonical.ts";
import { msInstant } from "./instants.ts";

export interface DerivedEvent {
  readonly projectId: string;
  readonly engine: string;
  readonly taskId: string;
  /** As received, even when the event is stored as `unknown`. */
  readonly kind: string;
  readonly occurredAt: Date | number;
  /** Canonical text of `data` as received, number lexemes preserved (`receivedData`). */
  readonly canonicalData: string;
}

/** The row id of an event that has no usable id of its own. */
export function eventIdOf({ projectId, engine, taskId, kind, occurredAt, canonicalData }: DerivedEvent): string {
  const digest = hash("sha256", canonicalData, "hex");
  return uuidV5(idNamespaces.event, canonicalText([projectId, engine, taskId, kind, msInstant(occurredAt), digest]));
}

export interface SidecarEvent {
  readonly engine: string;
  /** Names the stream inside the broker, for example key prefix and queue; never a connection address. */
  readonly source: string;
  /** The broker's id of the event inside that stream. */
  readonly nativeId: string;
  readonly taskId: string;
  readonly kind: string;
}

/** The id of an event read from a broker. All agents that watch the broker derive the same one. */
export function sidecarEventId({ engine, source, nativeId, taskId, kind }: SidecarEvent): string {
  return uuidV5(idNamespaces.sidecarEvent, canonicalText([engine, source, nativeId, taskId, kind]));
}

/** Text that JSON does not escape. */
const plainText = /^[ !#-[\]-~]*$/;

/** The id of a task row. */
export function taskRowId(projectId: string, engine: string, taskId: string): string {
  const isPlain = plainText.test(projectId) && plainText.test(engine) && plainText.test(taskId);
  const name = isPlain ? `["${projectId}","${engine}","${taskId}"]` : canonicalText([projectId, engine, taskId]);
  return uuidV5(idNamespaces.task, name);
}
