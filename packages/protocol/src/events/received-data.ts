import { canonicalText, readLexemes } from "../json/canonical.ts";

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

/**
 * Canonical text of the `data` of each record of an event_batch, with number lexemes as received, for ids derived by `eventIdOf`. Parses
 * the frame's text again on the first call only. A record without data counts as `{}`.
 *
 * @param frameText text of a verified frame (`OpenedFrame.text`).
 */
export function receivedData(frameText: string): (index: number) => string {
  let events: unknown;
  return (index) => {
    events ??= member(member(readLexemes(frameText), "payload"), "events") ?? [];
    const data = member((events as unknown[])[index], "data");
    return canonicalText(data === undefined ? {} : data);
  };
}
