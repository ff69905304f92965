import { type CSSProperties, useMemo, useState } from "react";
import { CopyButton, copyText } from "./CopyButton.tsx";
import controls from "./controls.module.css";
import { bytes, printable } from "./format.ts";
import { Icon } from "./Icon.tsx";
import css from "./json.module.css";
import { countRedacted, type JsonLine, jsonLines, maximumLines, redactedText, textOf } from "./json-lines.ts";
import panel from "./panel.module.css";

/** Above this size the text is shown raw at first. */
const rawAboveBytes = 256 * 1024;
const openDepth = 2;

interface JsonPanelProps {
  id?: string;
  title: string;
  /** One tree per entry: `args` and `kwargs` of a task. */
  parts: readonly { label: string; value: unknown }[];
  note?: string | undefined;
}

/** A panel with JSON as a tree: folding, exact numbers, redacted values as a chip, raw text on demand. */
export function JsonPanel({ id, title, parts, note }: JsonPanelProps) {
  const text = useMemo(() => partsText(parts), [parts]);
  const size = useMemo(() => new TextEncoder().encode(text).length, [text]);
  const redacted = useMemo(() => countRedacted(parts.map((part) => part.value)), [parts]);
  const [isRaw, setRaw] = useState(size > rawAboveBytes);
  const headId = `h-${id ?? title.toLowerCase()}`;
  const facts = [
    note,
    bytes(size),
    redacted.found > 0
      ? `${redactedText(redacted)} ${redacted.found === 1 && !redacted.isCut ? "value" : "values"} redacted by the agent`
      : null,
  ];

  return (
    <section className={panel.panel} id={id} aria-labelledby={headId}>
      <header>
        <h2 id={headId}>{title}</h2>
        <span className="t3">{facts.filter(Boolean).join(", ")}</span>
        <span className="grow" />
        <button type="button" className={controls.tool} aria-pressed={isRaw} onClick={() => setRaw(!isRaw)}>
          Raw
        </button>
        <CopyButton text={text} name={`Copy ${title.toLowerCase()}`} />
      </header>
      {isRaw ? (
        <pre className={css.raw} tabIndex={0} role="region" aria-label={`${title}, raw`}>
          {text}
        </pre>
      ) : (
        <JsonTree title={title} parts={parts} />
      )}
      <p className={panel.foot} />
    </section>
  );
}

function partsText(parts: JsonPanelProps["parts"]): string {
  const only = parts.length === 1 ? parts[0] : undefined;
  return (
    JSON.stringify(only ? only.value : Object.fromEntries(parts.map(({ label, value }) => [label, value])), null, 2) ??
    "null"
  );
}

function JsonTree({ title, parts }: { title: string; parts: JsonPanelProps["parts"] }) {
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  const isOpen = (path: string, depth: number) => flipped.has(path) !== depth < openDepth;
  const lines = parts.flatMap(({ label, value }) => jsonLines(label, value, isOpen));
  const flip = (path: string) => {
    const next = new Set(flipped);
    if (!next.delete(path)) next.add(path);
    setFlipped(next);
  };
  return (
    <>
      <ul className={css.json} aria-label={`${title} as a tree`} tabIndex={0}>
        {lines.map((line) => (
          <li key={line.path} style={{ "--d": line.depth } as CSSProperties}>
            <Line line={line} onFlip={flip} />
          </li>
        ))}
      </ul>
      {lines.length >= maximumLines ? (
        <p className={panel.foot}>Only the first {maximumLines} lines are drawn; raw has all.</p>
      ) : null}
    </>
  );
}

function Line({ line, onFlip }: { line: JsonLine; onFlip: (path: string) => void }) {
  const key = line.label === null ? null : <span className={css.key}>{printable(line.label)}</span>;
  if (line.kind === "open") {
    const sizeText = `${line.size} ${line.isArray ? (line.size === 1 ? "item" : "items") : line.size === 1 ? "key" : "keys"}`;
    if (line.size === 0) {
      return (
        <>
          {key}
          <span className={css.note}>{line.isArray ? "[ ]" : "{ }"}</span>
        </>
      );
    }
    return (
      <>
        <button type="button" className={css.fold} aria-expanded={line.isOpen} onClick={() => onFlip(line.path)}>
          <Icon name={line.isOpen ? "caret" : "right"} />
          {key}
        </button>
        <span className={css.note}>
          {sizeText}
          {line.redacted.found > 0 && !line.isOpen ? `, ${redactedText(line.redacted)} redacted` : ""}
        </span>
      </>
    );
  }
  if (line.kind === "redacted") {
    return (
      <>
        {key}
        <span className={css.redact} title="Redacted by the agent, before it was sent">
          <Icon name="lock" />
          redacted
        </span>
      </>
    );
  }
  return (
    <>
      {key}
      {line.kind === "text" ? (
        <span className={css.str}>"{printable(line.text)}"</span>
      ) : (
        <span className={css.val}>{line.text}</span>
      )}
      {line.kind === "text" && line.cutBytes !== null ? (
        <span className={css.note}>{bytes(line.cutBytes)} more were cut off</span>
      ) : null}
      {line.kind === "value" && line.isExact ? <span className={css.note}>kept exact</span> : null}
      <button
        type="button"
        className={css.copy}
        aria-label={`Copy ${printable(line.path)}`}
        title="Copy value (with Alt: its path)"
        onClick={(event) => void copyText(event.altKey ? line.path : textOf(line.text))}
      >
        <Icon name="copy" />
      </button>
    </>
  );
}
