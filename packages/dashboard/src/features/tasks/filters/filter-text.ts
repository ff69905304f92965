import { priorities, taskStates } from "@svc/client";
import { fieldTerm, isQueryField } from "@svc/client/task-query";
import { timeOf } from "../../../address/range-text.ts";
import { priorityList, type TasksSearch } from "../../task-data/index.ts";
import type { Known, WantedValues } from "./facets.ts";
import { filterWords } from "./filter-words.ts";
import { meantSearch } from "./payload-keys.ts";
import { isQueryText, queryError, searchFields, withTerm } from "./query-terms.ts";

// Parses the filter bar: `key:value` words are filters, everything else is search text.

type FilterWord = (typeof filterWords)[number];

export interface Suggestion {
  /** The shown text; after `key:` it is also the typed text. */
  value: string;
  detail: string;
  /** How many tasks it would show, if known. */
  count?: string | undefined;
  /** Position of the typed part in the value, for highlighting. */
  at: number;
  length: number;
  /** What selecting it does: set a filter, or continue typing after `key:`. */
  effect: { patch: TasksSearch } | { typed: string };
}

const ages = ["-15m", "-1h", "-6h", "-24h", "-7d"];
const maximumSuggestions = 8;

/** Parses `typed` into filters, or returns why it is invalid. */
export function readTyped(typed: string, search: TasksSearch): { patch: TasksSearch } | { error: string } {
  const text = typed.trim();
  const split = splitWord(text);
  if (!split || needsSearch(split.value))
    return isQueryText(text) ? readSearch(text, search) : { patch: { search: text } };
  const { word, value } = split;
  if (value === "") return { error: `Enter a value after ${word}:` };
  switch (word) {
    case "state": {
      if (value.includes(",")) return readSearch(text, search);
      const state = taskStates.find((one) => one === value);
      return state ? { patch: { state } } : { error: `Unknown state ${value}` };
    }
    case "priority": {
      const wanted = priorityList([search.priority, value].filter(Boolean).join(","));
      const isKnown = value.split(",").every((one) => priorities.some((priority) => priority === one.trim()));
      return isKnown ? { patch: { priority: wanted.join(",") } } : { error: `Unknown priority ${value}` };
    }
    case "since":
    case "until": {
      // The query language has ages without a minus.
      const bound = /^\d{1,5}[mhd]$/.test(value) ? `-${value}` : value;
      return Number.isNaN(timeOf(bound, 0))
        ? { error: `${value} is not an age such as 6h or a timestamp` }
        : { patch: { [word]: bound } };
    }
    default:
      return { patch: { [word]: value } };
  }
}

/** Whether a value needs the search language, such as a pattern, alternatives or another term. */
const needsSearch = (value: string): boolean => /[*"<>]|\.\.|\s[^\s:=]+[:=]/.test(value) || isQueryText(value);

function readSearch(text: string, search: TasksSearch): { patch: TasksSearch } | { error: string } {
  const error = queryError(text);
  return error === null ? { patch: { q: withTerm(search.q, text) } } : { error };
}

function splitWord(text: string): { word: FilterWord; value: string } | null {
  const found = /^([a-z]+):(.*)$/s.exec(text);
  const word = filterWords.find((one) => one === found?.[1]);
  return word ? { word, value: (found?.[2] ?? "").trim() } : null;
}

/** The suggestions shown below the bar while typing. */
export function suggestionsFor(typed: string, known: Known, search: TasksSearch): Suggestion[] {
  const text = typed.trimStart();
  const path = typedPath(typed);
  if (path) return pathSuggestions(path, known);
  const split = splitWord(text);
  if (split) return valueSuggestions(split.word, split.value, known, search).slice(0, maximumSuggestions);
  const meant = meantSearch({ ...search, search: text.trim() }, known);
  if (isKeyed(text) && meant) {
    const effect = { patch: { q: meant.search.q ?? "" } };
    return [{ value: meant.q, detail: "value in the payload", at: 0, length: 0, effect }];
  }
  const named = searchSuggestions(text, known, search);
  if (named) return named.slice(0, maximumSuggestions);
  const lower = text.toLowerCase();
  const words = filterWords
    .filter((word) => word.startsWith(lower))
    .map((word) => ({
      value: `${word}:`,
      detail: wordDetails[word],
      at: 0,
      length: lower.length,
      effect: { typed: `${word}:` },
    }));
  const fields = searchFields()
    .filter((field) => lower !== "" && field.name.startsWith(lower))
    .map(({ name, meaning, sample }) => ({
      value: `${name}:`,
      detail: `${meaning}, ${sample}`,
      at: 0,
      length: lower.length,
      effect: { typed: `${name}:` },
    }));
  words.push(...fields);
  if (lower.length < 2) return words;
  const found = (["queue", "worker", "name"] as const).flatMap((word) =>
    valueSuggestions(word, text, known, search)
      .slice(0, 3)
      .map((one) => ({ ...one, detail: word })),
  );
  return [...words, ...found].slice(0, maximumSuggestions);
}

/** The payload path being typed at the end of a text, such as `args.cust`; null for other texts. */
function typedPath(typed: string) {
  const from = typed.lastIndexOf(" ") + 1;
  const [, sign = "", name, path = ""] = /^(-?)(args|kwargs|result)\.([^\s:]*)$/.exec(typed.slice(from)) ?? [];
  const field = payloadFields.find((one) => one === name);
  return field ? { before: `${typed.slice(0, from)}${sign}${field}.`, field, path } : null;
}

/** Whether a text is a single word such as `customer=42` or `customer:42` whose key is not a field. */
const isKeyed = (text: string): boolean =>
  /^[^\s=:"]+[=:][^\s]/.test(text.trim()) && !text.trim().includes(" ") && !isQueryText(text);

const payloadFields = ["args", "kwargs", "result"] as const;

function pathSuggestions({ before, field, path }: NonNullable<ReturnType<typeof typedPath>>, known: Known) {
  return nearestFirst(known[field] ?? [], path)
    .slice(0, maximumSuggestions)
    .map(({ value, ...choice }): Suggestion => {
      return { ...choice, value: `${value}:`, detail: "", effect: { typed: `${before}${value}:` } };
    });
}

const facetFields = ["engine", "name", "queue", "worker"] as const;

/** Values for a search-only field or for a negated term; null for other texts. */
function searchSuggestions(text: string, known: Known, search: TasksSearch): Suggestion[] | null {
  const found = /^(-?)([a-z]+):([^\s"]*)$/.exec(text);
  const field = facetFields.find((one) => one === found?.[2]);
  if (!found || !field || (found[1] === "" && field !== "engine")) return null;
  return nearestFirst(known[field] ?? [], found[3] ?? "").map((choice) => {
    const effect = { patch: { q: withTerm(search.q, fieldTerm(field, choice.value, found[1] === "-")) } };
    return { ...choice, detail: "", effect };
  });
}

/** The values to load for suggestions while this is typed. */
export function wantedValues(typed: string): WantedValues {
  const path = typedPath(typed);
  if (path) return { fields: [path.field], typed: path.path };
  const split = splitWord(typed.trimStart());
  const field = facetFields.find((one) => typed.trimStart().replace(/^-/, "").startsWith(`${one}:`));
  if (!split && field) return { fields: [field], typed: typed.slice(typed.indexOf(":") + 1).trim() };
  if (!split && isKeyed(typed)) return { fields: ["args", "result"], typed: "" };
  if (!split) return { fields: ["name", "queue", "worker"], typed: typed.trim() };
  const { word, value } = split;
  return { fields: word === "since" || word === "until" ? [] : [word], typed: value };
}

const wordDetails: Record<FilterWord, string> = {
  queue: "exactly this queue",
  worker: "exactly this worker",
  name: "text in the task's name",
  priority: "one or more",
  since: "received after",
  until: "received before",
  state: "one state",
};

function valueSuggestions(word: FilterWord, value: string, known: Known, search: TasksSearch): Suggestion[] {
  const chosen = priorityList(search.priority);
  const counted = (values: readonly string[], field: "state" | "priority") =>
    values.map((one) => ({ value: one, count: known[field]?.find((other) => other.value === one)?.count }));
  const choices: Record<FilterWord, readonly { value: string; count?: string | undefined }[]> = {
    queue: known.queue ?? [],
    worker: known.worker ?? [],
    name: known.name ?? [],
    priority: counted(
      priorities.filter((one) => !chosen.includes(one)),
      "priority",
    ),
    since: ages.map((age) => ({ value: age })),
    until: ages.map((age) => ({ value: age })),
    state: counted(taskStates, "state"),
  };
  return nearestFirst(choices[word], value).flatMap((choice) => {
    const read = readTyped(`${word}:${choice.value}`, search);
    return "patch" in read ? [{ ...choice, detail: "", effect: { patch: read.patch } }] : [];
  });
}

interface Choice {
  value: string;
  count?: string | undefined;
}

/** The choices that contain a text: exact matches first, then prefixes, then the rest, each in the given order. */
function nearestFirst(choices: readonly Choice[], text: string): (Choice & { at: number; length: number })[] {
  const lower = text.toLowerCase();
  const distance = ({ value, at }: Choice & { at: number }) => (value === text ? 0 : at === 0 ? 1 : 2);
  return choices
    .map((choice) => ({ ...choice, at: choice.value.toLowerCase().indexOf(lower), length: lower.length }))
    .filter((choice) => choice.at >= 0)
    .sort((a, b) => distance(a) - distance(b));
}

/** Index of the suggestion that Enter takes by default; -1 to take the typed text, which for names is a valid filter. */
export function defaultSuggestion(typed: string): number {
  const word = /^-?([a-z]+):/.exec(typed.trimStart())?.[1];
  const isValue = word !== undefined && word !== "name" && isQueryField(word);
  return isValue || typedPath(typed) ? 0 : -1;
}
