import { plural } from "@svc/client";
import { type KeyboardEvent, useEffect, useEffectEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { closeOverlay, type OverlayProps } from "../shell/overlay.ts";
import { Icon } from "../ui/Icon.tsx";
import { useSettled } from "../ui/time/use-settled.ts";
import { type Entry, fitting } from "./entries.ts";
import { Keys } from "./KeySheet.tsx";
import css from "./palette.module.css";

/** Debounce before the server is queried for an id. */
const debounceMs = 200;

interface Found {
  entries: Entry[];
  /** Why there may be more results; empty otherwise. */
  note: string;
}

interface PaletteProps extends OverlayProps {
  /** The entries for `typed`. `settled` is the debounced text to query on the server; pasted text is always queried. */
  useEntries: (slug: string | null, typed: string, settled: string, isPasted: boolean) => Found;
}

/** The command palette: filters pages, projects, tasks and actions while typing. */
export function Palette({ slug, useEntries }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const listId = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const typed = text.trim();
  const [pasted, setPasted] = useState<string | null>(null);
  const isPasted = typed !== "" && pasted === typed;
  const settled = useSettled(typed, debounceMs);
  const { entries, note } = useEntries(slug, typed, isPasted ? typed : settled, isPasted);
  const groups = fitting(entries, typed);
  const shown = groups.flatMap(({ entries }) => entries);
  const current = Math.min(at, shown.length - 1);

  const exact = entries.filter(({ group }) => group === "Task with this id");
  const jump = useEffectEvent(() => choose(exact[0]));
  const canJump = isPasted && exact.length === 1;
  useEffect(() => {
    if (canJump) jump();
  }, [canJump]);

  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  useEffect(() => {
    document.getElementById(`${listId}-${current}`)?.scrollIntoView({ block: "nearest" });
  }, [listId, current]);

  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    closeOverlay();
    // Close first, so that the focus returns to the page before it changes.
    queueMicrotask(entry.run);
  };
  const pressed = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && shown.length > 0) setAt((current + step + shown.length) % shown.length);
    else if (event.key === "Home" && event.ctrlKey) setAt(0);
    else if (event.key === "Enter") choose(shown[current]);
    else return;
    event.preventDefault();
  };

  return (
    <dialog
      ref={dialog}
      className={css.palette}
      aria-label="Find or go to"
      onClose={() => dialog.current && closeOverlay()}
      onClick={(event) => {
        if (event.target === event.currentTarget) closeOverlay();
      }}
    >
      <div className={css.box}>
        <div className={css.line}>
          <Icon name="search" className="t3" />
          <input
            type="text"
            role="combobox"
            aria-expanded={shown.length > 0}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={shown.length > 0 ? `${listId}-${current}` : undefined}
            aria-label="Find or go to"
            placeholder={
              slug === null ? "Page, project or action" : "Queue, worker, agent, issue, view, page, action or task id"
            }
            autoComplete="off"
            spellCheck={false}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setAt(0);
            }}
            onPaste={(event) => setPasted(event.clipboardData.getData("text").trim())}
            onKeyDown={pressed}
          />
        </div>
        <Options {...{ listId, groups, shown, current, note }} onChoose={choose} onPoint={setAt} />
        <p className="vh" role="status">
          {`${shown.length === 0 ? "No results" : plural(shown.length, "result")}. ${note}`}
        </p>
      </div>
    </dialog>
  );
}

interface OptionsProps {
  listId: string;
  groups: ReturnType<typeof fitting>;
  shown: readonly Entry[];
  current: number;
  note: string;
  onChoose: (entry: Entry) => void;
  onPoint: (at: number) => void;
}

function Options({ listId, groups, shown, current, note, onChoose, onPoint }: OptionsProps) {
  return (
    <div className={css.list} id={listId} role="listbox" aria-label="Results">
      {groups.map(({ group, entries }) => (
        <div key={group} role="group" aria-label={group}>
          <p className={css.group} aria-hidden="true">
            {group}
          </p>
          {entries.map((entry) => {
            const index = shown.indexOf(entry);
            return (
              <div
                key={entry.id}
                id={`${listId}-${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === current}
                className={css.option}
                onPointerMove={() => onPoint(index)}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => onChoose(entry)}
                onKeyDown={(event) => event.key === "Enter" && onChoose(entry)}
              >
                <Icon name={entry.icon} />
                <span className="cut">{entry.label}</span>
                <span className="t3 cut grow">{entry.detail}</span>
                {entry.keys ? <Keys text={entry.keys} /> : null}
              </div>
            );
          })}
        </div>
      ))}
      {note !== "" || shown.length === 0 ? <p className={css.none}>{note || "No results."}</p> : null}
    </div>
  );
}
