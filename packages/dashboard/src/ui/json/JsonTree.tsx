import { plural } from "@svc/client";
import { type CSSProperties, type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { Button } from "../buttons/Button.tsx";
import { copyText } from "../buttons/CopyButton.tsx";
import { Icon } from "../Icon.tsx";
import panel from "../panels/panel.module.css";
import { bytes, count, printable } from "../time/format.ts";
import { JsonVirtualLines, type LinesProps } from "./JsonVirtualLines.tsx";
import css from "./json.module.css";
import {
  findInJson,
  type JsonLine,
  type JsonPart,
  jsonLines,
  maximumLines,
  redactedText,
  redactions,
  textOf,
} from "./json-lines.ts";

/** From this number of lines on, only the visible ones are in the document. */
const virtualAbove = 2_000;

interface JsonTreeProps {
  title: string;
  parts: readonly JsonPart[];
  openDepth: number;
  isSearching: boolean;
  onSearchEnd: () => void;
}

/** An ARIA tree: arrow keys move and fold, c copies the value, Shift+C the path. */
export function JsonTree({ title, parts, openDepth, isSearching, onSearchEnd }: JsonTreeProps) {
  const id = useId();
  const tree = useRef<HTMLDivElement>(null);
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set());
  /** Branches above a match are open, unless they are folded during the search. */
  const [foldedAboveHit, setFoldedAboveHit] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string | null>(null);
  const [search, setSearch] = useState("");
  const [said, setSaid] = useState("");
  const wanted = isSearching ? search : "";

  const found = useMemo(() => {
    const each = parts.map(({ label, value }) => findInJson(label, value, wanted));
    return {
      hits: each.flatMap(({ hits }) => hits),
      above: new Set(each.flatMap(({ above }) => [...above])),
      isCut: each.some(({ isCut }) => isCut),
    };
  }, [parts, wanted]);
  const hits = useMemo(() => new Set(found.hits), [found]);
  const redacted = useMemo(() => parts.map(({ value }) => redactions(value)), [parts]);
  const lines = useMemo(() => {
    const isOpen = (path: string, depth: number) =>
      found.above.has(path) ? !foldedAboveHit.has(path) : flipped.has(path) !== depth < openDepth;
    return parts.flatMap(({ label, value }, at) => jsonLines(label, value, isOpen, redacted[at]));
  }, [parts, redacted, flipped, foldedAboveHit, openDepth, found]);
  const indexOf = useMemo(() => new Map(lines.map((line, at) => [line.path, at])), [lines]);
  const activeIndex = (active === null ? undefined : indexOf.get(active)) ?? -1;

  const flip = (path: string) => {
    if (found.above.has(path)) setFoldedAboveHit(toggled(foldedAboveHit, path));
    else setFlipped(toggled(flipped, path));
  };
  const copy = async (line: JsonLine, isPath: boolean) => {
    const done = await copyText(isPath ? line.path : textOf(line.value));
    setSaid(done ? `Copied ${isPath ? "path" : "value"}` : "Couldn't copy. The browser blocked it.");
  };
  const goTo = (path: string | undefined) => {
    if (path === undefined) return;
    setActive(path);
    setSaid("");
  };
  const stepHit = (step: number) => {
    const at = found.hits.indexOf(active ?? "");
    const next = at < 0 ? (step > 0 ? 0 : found.hits.length - 1) : at + step;
    const hit = found.hits[(next + found.hits.length) % Math.max(1, found.hits.length)];
    if (hit !== undefined && !indexOf.has(hit)) setFoldedAboveHit(new Set());
    goTo(hit);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const line = lines[Math.max(0, activeIndex)];
    if (!line) return;
    const isBranch = line.kind === "open" && line.size > 0;
    const isOpen = line.kind === "open" && line.isOpen;
    switch (event.key) {
      case "ArrowDown":
        goTo(lines[activeIndex + 1]?.path);
        break;
      case "ArrowUp":
        goTo(lines[Math.max(0, activeIndex - 1)]?.path);
        break;
      case "ArrowRight":
        if (isBranch && !isOpen) flip(line.path);
        else if (isOpen) goTo(lines[activeIndex + 1]?.path);
        break;
      case "ArrowLeft":
        if (isOpen) flip(line.path);
        else goTo(lines.findLast((one, at) => at < activeIndex && one.depth < line.depth)?.path);
        break;
      case "Home":
        goTo(lines[0]?.path);
        break;
      case "End":
        goTo(lines.at(-1)?.path);
        break;
      case "Enter":
      case " ":
        if (isBranch) flip(line.path);
        break;
      case "c":
      case "C":
        if (activeIndex >= 0) void copy(line, event.shiftKey);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  const idOf = (index: number) => `${id}-${index}`;
  const renderLine = (index: number, style?: CSSProperties) => {
    const line = lines[index];
    if (!line) return null;
    const isActive = index === activeIndex;
    return (
      <div
        key={line.path}
        id={idOf(index)}
        role="treeitem"
        className={css.line}
        aria-level={line.depth + 1}
        aria-expanded={line.kind === "open" && line.size > 0 ? line.isOpen : undefined}
        aria-selected={isActive}
        data-hit={hits.has(line.path) || undefined}
        style={{ ...style, "--d": line.depth } as CSSProperties}
        onClick={() => setActive(line.path)}
      >
        <Line line={line} onFlip={flip} onCopy={copy} />
      </div>
    );
  };

  const List = lines.length > virtualAbove ? JsonVirtualLines : PlainLines;
  return (
    <>
      {isSearching ? (
        <SearchRow
          title={title}
          value={search}
          onChange={(text) => {
            setSearch(text);
            setFoldedAboveHit(new Set());
            setActive(null);
          }}
          onStep={stepHit}
          onEnd={() => {
            onSearchEnd();
            tree.current?.focus();
          }}
          status={hitStatus(wanted, found.hits.length, found.hits.indexOf(active ?? ""), found.isCut)}
        />
      ) : null}
      <div
        ref={tree}
        className={css.json}
        role="tree"
        tabIndex={0}
        aria-label={`${title} as a tree`}
        aria-keyshortcuts="c Shift+C"
        aria-activedescendant={activeIndex < 0 ? undefined : idOf(activeIndex)}
        onKeyDown={onKeyDown}
        onFocus={() => activeIndex < 0 && setActive(lines[0]?.path ?? null)}
      >
        <List lines={lines} activeIndex={activeIndex} renderLine={renderLine} idOf={idOf} />
      </div>
      <p className="vh" role="status">
        {said}
      </p>
      {lines.length >= maximumLines ? (
        <p className={panel.foot}>Showing the first {count(maximumLines)} lines. Raw shows all.</p>
      ) : null}
    </>
  );
}

function toggled(paths: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(paths);
  if (!next.delete(path)) next.add(path);
  return next;
}

function PlainLines({ lines, activeIndex, renderLine, idOf }: LinesProps) {
  const id = activeIndex < 0 ? null : idOf(activeIndex);
  useEffect(() => {
    if (id !== null) document.getElementById(id)?.scrollIntoView({ block: "nearest" });
  }, [id]);
  return <>{lines.map((_line, index) => renderLine(index))}</>;
}

function hitStatus(wanted: string, hits: number, at: number, isCut: boolean): string {
  if (wanted === "") return "";
  if (hits === 0) return "no matches";
  return `${at < 0 ? "" : `${at + 1} of `}${count(hits)}${isCut ? " or more" : ""}${at < 0 ? " found" : ""}`;
}

interface SearchRowProps {
  title: string;
  value: string;
  status: string;
  onChange: (text: string) => void;
  onStep: (step: number) => void;
  onEnd: () => void;
}

function SearchRow({ title, value, status, onChange, onStep, onEnd }: SearchRowProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  return (
    <search className={css.search}>
      <input
        ref={input}
        type="search"
        value={value}
        aria-label={`Find in ${title.toLowerCase()}`}
        placeholder="key, text or number"
        onChange={(event) => onChange(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") onEnd();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <span className="t3 nowrap" role="status">
        {status}
      </span>
      <Button
        variant="icon"
        icon="up"
        aria-label="Previous match"
        title="Previous match (Shift+Enter)"
        onClick={() => onStep(-1)}
      />
      <Button variant="icon" icon="down" aria-label="Next match" title="Next match (Enter)" onClick={() => onStep(1)} />
      <Button variant="icon" icon="x" aria-label="Close search" title="Close search (Esc)" onClick={onEnd} />
    </search>
  );
}

function membersText({ isArray, size }: { isArray: boolean; size: number }): string {
  return plural(size, isArray ? "item" : "key");
}

interface LineProps {
  line: JsonLine;
  onFlip: (path: string) => void;
  onCopy: (line: JsonLine, isPath: boolean) => void;
}

function Line({ line, onFlip, onCopy }: LineProps) {
  return (
    <>
      <LineValue line={line} onFlip={onFlip} />
      {/* For pointers; the tree has shortcuts for the same. */}
      <span className={css.copies} aria-hidden="true">
        {line.kind === "redacted" ? null : (
          <button
            type="button"
            tabIndex={-1}
            aria-label="Copy value"
            title="Copy value (c)"
            onClick={() => onCopy(line, false)}
          >
            <Icon name="copy" />
          </button>
        )}
        <button
          type="button"
          tabIndex={-1}
          aria-label="Copy path"
          title={`Copy path ${printable(line.path)} (Shift+C)`}
          onClick={() => onCopy(line, true)}
        >
          <Icon name="path" />
        </button>
      </span>
    </>
  );
}

function LineValue({ line, onFlip }: Pick<LineProps, "line" | "onFlip">) {
  const key = line.label === null ? null : <span className={css.key}>{printable(line.label)}</span>;
  if (line.kind === "open" && line.size > 0) {
    return (
      <>
        <button type="button" tabIndex={-1} className={css.fold} onClick={() => onFlip(line.path)}>
          <Icon name={line.isOpen ? "caret" : "right"} />
          {key}
        </button>
        <span className={css.note}>
          {membersText(line)}
          {line.redacted.found > 0 && !line.isOpen ? `, ${redactedText(line.redacted)} redacted` : ""}
        </span>
      </>
    );
  }
  return (
    <>
      {key}
      {line.kind === "open" ? (
        <span className={css.note}>{line.isArray ? "[ ]" : "{ }"}</span>
      ) : line.kind === "redacted" ? (
        <span className={css.redact} title="Redacted by the agent before sending">
          <Icon name="lock" />
          redacted
        </span>
      ) : line.kind === "text" ? (
        <>
          <span className={css.str}>"{printable(line.text)}"</span>
          {line.cutBytes === null ? null : <span className={css.note}>{bytes(line.cutBytes)} truncated</span>}
        </>
      ) : (
        <>
          <span className={css.val}>{line.text}</span>
          {line.isExact ? <span className={css.note}>exact</span> : null}
        </>
      )}
    </>
  );
}
