import { plural } from "@svc/client";
import { useMemo, useState } from "react";
import { Button } from "../buttons/Button.tsx";
import { CopyButton } from "../buttons/CopyButton.tsx";
import panel from "../panels/panel.module.css";
import { bytes, printableLines } from "../time/format.ts";
import { JsonTree } from "./JsonTree.tsx";
import css from "./json.module.css";
import { countRedacted, depthOf, type JsonPart, textOf } from "./json-lines.ts";

/** Values above this size are rendered only on request. */
const largeBytes = 256 * 1024;
const usualDepth = 2;
const deepest = 5;

interface JsonPanelProps {
  id?: string;
  title: string;
  /** One tree per entry, such as `args` and `kwargs` of a task. */
  parts: readonly JsonPart[];
  note?: string | undefined;
  /** Below the tree. */
  foot?: string | undefined;
}

type Look = "tree" | "raw" | "closed";

/** A panel with a JSON tree: folding, search, exact numbers, marked redactions, and raw text on demand. */
export function JsonPanel({ id, title, parts, note, foot }: JsonPanelProps) {
  const text = useMemo(() => partsText(parts), [parts]);
  const size = useMemo(() => new TextEncoder().encode(text).length, [text]);
  const redacted = useMemo(() => countRedacted(parts.map((part) => part.value)), [parts]);
  const depth = useMemo(() => Math.max(...parts.map((part) => depthOf(part.value, deepest + 1))), [parts]);
  const [chosen, setChosen] = useState<Look | null>(null);
  const [openDepth, setOpenDepth] = useState(usualDepth);
  const [isSearching, setSearching] = useState(false);
  const view = chosen ?? (size > largeBytes ? "closed" : "tree");
  const headId = `h-${id ?? title.toLowerCase()}`;
  const facts = [
    note,
    bytes(size),
    redacted.found > 0
      ? `${redacted.isCut ? "at least " : ""}${plural(redacted.found, "value")} redacted by the agent`
      : null,
  ];

  return (
    <section className={`${panel.panel} ${css.panel}`} id={id} aria-labelledby={headId}>
      <header>
        <h2 id={headId}>{title}</h2>
        <span className="t3">{facts.filter(Boolean).join(", ")}</span>
        <span className="grow" />
        {view === "tree" && depth > 1 ? (
          <label>
            <span className="vh">Expanded levels of {title.toLowerCase()}</span>
            <select
              className={css.depth}
              title="Expanded levels"
              value={openDepth}
              onChange={(event) => setOpenDepth(Number(event.currentTarget.value))}
            >
              {depthChoices(depth).map(({ levels, label }) => (
                <option key={levels} value={levels}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        ) : null}
        {view === "tree" && depth > 0 ? (
          <Button
            variant="icon"
            icon="search"
            aria-expanded={isSearching}
            aria-label={`Search in ${title.toLowerCase()}`}
            title={`Search in ${title.toLowerCase()}`}
            onClick={() => setSearching(!isSearching)}
          />
        ) : null}
        <Button variant="tool" aria-pressed={view === "raw"} onClick={() => setChosen(view === "raw" ? "tree" : "raw")}>
          Raw
        </Button>
        <CopyButton text={text} name={`Copy ${title.toLowerCase()}`} />
      </header>
      {view === "closed" ? (
        <div className={css.large}>
          <p>Large value ({bytes(size)}), not shown automatically.</p>
          <Button onClick={() => setChosen("raw")}>Show as text</Button>
          <Button onClick={() => setChosen("tree")}>Show as a tree</Button>
        </div>
      ) : view === "raw" ? (
        <pre className={css.raw} tabIndex={0} role="region" aria-label={`${title}, raw`}>
          {printableLines(text)}
        </pre>
      ) : (
        // Changing the depth resets manually collapsed branches.
        <JsonTree
          key={openDepth}
          title={title}
          parts={parts}
          openDepth={openDepth}
          isSearching={isSearching}
          onSearchEnd={() => setSearching(false)}
        />
      )}
      <p className={panel.foot}>{foot}</p>
    </section>
  );
}

function depthChoices(depth: number): { levels: number; label: string }[] {
  const choices = [{ levels: 0, label: "collapsed" }];
  for (let levels = 1; levels < Math.min(depth, deepest + 1); levels++) {
    choices.push({ levels, label: plural(levels, "level") });
  }
  const all = depth > deepest ? Number.MAX_SAFE_INTEGER : Math.max(depth, usualDepth);
  return [...choices, { levels: all, label: "all levels" }];
}

function partsText(parts: readonly JsonPart[]): string {
  const only = parts.length === 1 ? parts[0] : undefined;
  const whole = only ? only.value : Object.fromEntries(parts.map(({ label, value }) => [label, value]));
  return typeof whole === "string" ? JSON.stringify(whole) : textOf(whole);
}
