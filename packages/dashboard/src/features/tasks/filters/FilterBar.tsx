import { priorities, type TaskFilters } from "@svc/client";
import { type KeyboardEvent, lazy, Suspense, useEffect, useId, useRef, useState } from "react";
import controls from "../../../ui/controls.module.css";
import { Icon } from "../../../ui/Icon.tsx";
import { useKeys } from "../../../ui/layers/keys.ts";
import { Menu, menuItem, menuLabel, menuRule } from "../../../ui/layers/Layers.tsx";
import { printable } from "../../../ui/time/format.ts";
import { activeFilters, type FilterKey, priorityList, type TasksSearch } from "../../task-data/index.ts";
import css from "../list.module.css";
import { useKnown } from "./facets.ts";
import type { Suggestion } from "./filter-text.ts";
import { filterName, filterWords, tokenText } from "./filter-words.ts";
import { searchFields, termsOf, withoutTerm } from "./query-terms.ts";

const DidYouMean = lazy(() => import("../matching/DidYouMean.tsx").then((part) => ({ default: part.DidYouMean })));
/** Parsing and completion are loaded separately, as the first paint does not need them. */
const loadReader = () => import("./filter-text.ts");

interface FilterBarProps {
  slug: string;
  search: TasksSearch;
  filters: TaskFilters;
  onPatch: (patch: Partial<Record<FilterKey, string | undefined>>) => void;
}

export function FilterBar({ slug, search, filters, onPatch }: FilterBarProps) {
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState("");
  const [isOpen, setOpen] = useState(false);
  /** The marked suggestion; null until an arrow key chooses one. */
  const [chosenAt, setAt] = useState<number | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [reader, setReader] = useState<Awaited<ReturnType<typeof loadReader>> | null>(null);
  // The reader and the known values are loaded when the bar has focus.
  useEffect(() => void (isOpen && loadReader().then(setReader, () => {})), [isOpen]);
  const known = useKnown(slug, filters, (isOpen && reader?.wantedValues(typed)) || null);
  const suggestions = reader?.suggestionsFor(typed, known, search) ?? [];
  const at = chosenAt ?? reader?.defaultSuggestion(typed) ?? -1;
  const isListed = isOpen && suggestions.length > 0;
  const tokens = activeFilters(search).filter((key) => key !== "state" && key !== "q");
  const terms = search.q ? termsOf(search.q) : [];
  const termError = terms.find((term) => term.error !== null)?.error ?? null;
  const removeTerm = (at: number) => onPatch({ q: withoutTerm(search.q ?? "", at) });
  useKeys({
    "/": (event) => {
      event.preventDefault();
      input.current?.focus();
    },
  });

  const type = (text: string) => {
    setTyped(text);
    setOpen(true);
    setAt(null);
    setError(null);
  };
  const apply = (patch: TasksSearch) => {
    onPatch(patch as Partial<Record<FilterKey, string>>);
    type("");
    setOpen(false);
  };
  const choose = (suggestion: Suggestion) => {
    if ("typed" in suggestion.effect) type(suggestion.effect.typed);
    else apply(suggestion.effect.patch);
    input.current?.focus();
  };
  const submit = async () => {
    const chosen = isListed ? suggestions[at] : undefined;
    if (chosen) return choose(chosen);
    if (typed.trim() === "") return;
    const { readTyped } = await loadReader();
    const read = readTyped(typed, search);
    if ("error" in read) setError(read.error);
    else apply(read.patch);
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!isListed) setOpen(true);
      const next = event.key === "ArrowDown" ? at + 1 : Math.max(at, 0) - 1;
      setAt((next + suggestions.length) % Math.max(1, suggestions.length));
      event.preventDefault();
    } else if (event.key === "Enter") {
      void submit();
      event.preventDefault();
    } else if (event.key === "Escape") {
      if (isListed) setOpen(false);
      else if (typed) type("");
      else input.current?.blur();
      event.stopPropagation();
    } else if (event.key === "Backspace" && typed === "") {
      const last = tokens.at(-1);
      if (terms.length > 0) removeTerm(terms.length - 1);
      else if (last) onPatch({ [last]: undefined });
    }
  };

  return (
    <>
      <search className={`${css.filter} grow`} aria-label="Filter tasks">
        <Icon name="search" className="t3" />
        {tokens.map((key) => (
          <span key={key} className={css.tok}>
            <span className={css.k}>{filterName(key)}:</span>
            <span className="cut">{printable(tokenText(key, String(search[key])))}</span>
            <button
              type="button"
              aria-label={`Remove filter ${filterName(key)}`}
              onClick={() => onPatch({ [key]: undefined })}
            >
              <Icon name="x" />
            </button>
          </span>
        ))}
        {terms.map((term, at) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: the same term may occur twice
            key={at}
            className={term.error === null ? css.tok : `${css.tok} ${css.wrong}`}
          >
            <button
              type="button"
              className={`${css.term} cut mono`}
              title={term.error ?? "Edit term"}
              aria-label={`Edit term ${printable(term.text)}${term.error === null ? "" : `, invalid: ${term.error}`}`}
              onClick={() => {
                removeTerm(at);
                type(term.text);
                input.current?.focus();
              }}
            >
              <TermText text={term.text} />
            </button>
            <button type="button" aria-label={`Remove term ${printable(term.text)}`} onClick={() => removeTerm(at)}>
              <Icon name="x" />
            </button>
          </span>
        ))}
        <span className={`${css.q} grow`}>
          <input
            ref={input}
            type="text"
            value={typed}
            aria-label="Add a filter or search text. Text is matched literally"
            placeholder={
              tokens.length + terms.length === 0 ? "queue: name: args.user.id: error: or text, matched literally" : ""
            }
            role="combobox"
            aria-expanded={isListed}
            aria-controls={listId}
            aria-autocomplete="list"
            aria-activedescendant={isListed && at >= 0 ? `${listId}-${at}` : undefined}
            aria-invalid={error !== null}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => type(event.currentTarget.value)}
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={pressed}
          />
          <ul className={css.ac} id={listId} role="listbox" aria-label="Suggestions" hidden={!isListed}>
            {suggestions.map((suggestion, index) => (
              <li
                key={`${suggestion.value} ${suggestion.detail}`}
                id={`${listId}-${index}`}
                role="option"
                aria-selected={index === at}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => choose(suggestion)}
              >
                <Marked suggestion={suggestion} />
                <span className="t2">{suggestion.detail}</span>
                {suggestion.count ? <span className="num">{suggestion.count}</span> : null}
              </li>
            ))}
          </ul>
        </span>
        {(error ?? termError) ? (
          <span className={`${controls.err} ${css.error}`} role="alert">
            {error ?? termError}
            <Suspense fallback={null}>
              <DidYouMean
                slug={slug}
                search={{ ...search, q: `${search.q ?? ""} ${typed}`.trim() }}
                onGo={() => type("")}
              />
            </Suspense>
          </span>
        ) : null}
      </search>
      <Menu
        label="Add a filter"
        buttonLabel="Add a filter"
        button={
          <>
            <Icon name="plus" />
            <span className="lg">Filter</span>
          </>
        }
      >
        {() => (
          <>
            <p className={menuLabel}>Priority, one or more</p>
            {priorities.map((priority) => {
              const chosen = priorityList(search.priority);
              const isChosen = chosen.includes(priority);
              return (
                <button
                  key={priority}
                  type="button"
                  data-entry=""
                  data-stay=""
                  className={menuItem}
                  aria-pressed={isChosen}
                  onClick={() => {
                    const next = isChosen ? chosen.filter((one) => one !== priority) : [...chosen, priority];
                    onPatch({ priority: priorityList(next.join(",")).join(",") || undefined });
                  }}
                >
                  <span className="grow">{priority}</span>
                  {isChosen ? <Icon name="check" /> : null}
                </button>
              );
            })}
            <hr className={menuRule} />
            {filterWords
              .filter((word) => word !== "priority" && word !== "state")
              .map((word) => (
                <button
                  key={word}
                  type="button"
                  data-entry=""
                  className={menuItem}
                  onClick={() => {
                    type(`${word}:`);
                    requestAnimationFrame(() => input.current?.focus());
                  }}
                >
                  {word}
                </button>
              ))}
            <hr className={menuRule} />
            {searchFields().map(({ name, meaning }) => (
              <button
                key={name}
                type="button"
                data-entry=""
                className={menuItem}
                onClick={() => {
                  type(`${name}:`);
                  requestAnimationFrame(() => input.current?.focus());
                }}
              >
                <span className="grow">{name}</span>
                <span className="t2">{meaning}</span>
              </button>
            ))}
          </>
        )}
      </Menu>
    </>
  );
}

/** A term with its field name highlighted. */
function TermText({ text }: { text: string }) {
  const at = /^-?[A-Za-z]+(?:[.[][^:"]*)?:/.exec(text)?.[0].length ?? 0;
  return (
    <>
      <span className={css.k}>{printable(text.slice(0, at))}</span>
      {printable(text.slice(at))}
    </>
  );
}

function Marked({ suggestion: { value, at, length } }: { suggestion: Suggestion }) {
  return (
    <span className="grow cut">
      {printable(value.slice(0, at))}
      <mark>{printable(value.slice(at, at + length))}</mark>
      {printable(value.slice(at + length))}
    </span>
  );
}
