import { readFileSync } from "node:fs";
import { priorities, taskStates } from "@svc/client";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import { FleetPill, PriorityMark, StateGlyph, StatePill } from "./StatePill.tsx";

const sprite = readFileSync(new URL("sprite.svg", import.meta.url), "utf8");
const pillStyles = readFileSync(new URL("pill.module.css", import.meta.url), "utf8");

/** The drawing of a glyph in the sprite that the markup uses. */
function drawingIn(markup: string): string {
  const name = /href="#(g-[a-z]+)"/.exec(markup)?.[1];
  const found = new RegExp(`<symbol id="${name}"[^>]*>(.*?)</symbol>`, "s").exec(sprite)?.[1];
  if (found === undefined) throw new Error(`no drawing ${name}`);
  return found.replace(/\s+/g, " ");
}
const textIn = (markup: string) => markup.replace(/<[^>]+>/g, "");

describe("a state", () => {
  test("has its own shape, whatever its colour", () => {
    const drawings = taskStates.map((state) => drawingIn(renderToStaticMarkup(<StatePill state={state} />)));
    expect(new Set(drawings).size).toBe(taskStates.length);
  });

  test.each(taskStates)("%s keeps its label, bare and as a glyph alone", (state) => {
    expect(textIn(renderToStaticMarkup(<StatePill state={state} />))).toBe(state);
    expect(textIn(renderToStaticMarkup(<StatePill state={state} bare />))).toBe(state);
    const alone = renderToStaticMarkup(<StateGlyph state={state} />);
    expect(textIn(alone)).toBe(state);
    expect(drawingIn(alone)).toBe(drawingIn(renderToStaticMarkup(<StatePill state={state} />)));
  });

  test("of the fleet has a shape and a label too, also an unknown one", () => {
    const states = ["online", "offline", "unknown"];
    const drawings = states.map((state) => drawingIn(renderToStaticMarkup(<FleetPill state={state} />)));
    expect(new Set(drawings).size).toBe(states.length);
    expect(textIn(renderToStaticMarkup(<FleetPill state="resting" />))).toBe("resting");
  });
});

describe("a priority", () => {
  test("is a shape and a label, and nothing when it is normal", () => {
    const marks = priorities.map((priority) => renderToStaticMarkup(<PriorityMark priority={priority} />));
    expect(marks.map(textIn).toSorted()).toEqual(["", "critical priority", "high priority", "low priority"]);
    const drawings = marks.filter(Boolean).map(drawingIn);
    expect(new Set(drawings).size).toBe(3);
  });

  test("never takes the colour of a state", () => {
    for (const priority of priorities) {
      expect(renderToStaticMarkup(<PriorityMark priority={priority} />)).not.toContain("data-state");
    }
    const rules = pillStyles.match(/\.(prio|crit) \{[^}]*\}/g) ?? [];
    expect(rules).toHaveLength(2);
    const tokens = rules.flatMap((rule) => rule.match(/--[a-z0-9-]+/g) ?? []);
    expect(tokens.toSorted()).toEqual(["--border-control", "--text-2"]);
  });
});
