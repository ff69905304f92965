import type { Agent } from "@svc/client";
import type { ComponentType } from "react";
import { overlay } from "../../../shell/overlay.ts";
import { createStore } from "../../../ui/store.ts";
import { ableAgents, type Capability } from "../requests/able.ts";

/** What decides whether something can be done, apart from its form, which asks the same while it is open. */
export interface Rule<Subject> {
  /** The lowest role; operator unless said. */
  readonly role?: "admin";
  /** What agents must be able to do for which engine: one of these is enough. Empty where its form says which agents can. */
  needs(subject: Subject): readonly { engine: string; capability: Capability }[];
  /** What of the subject itself speaks against it; null where nothing does. */
  guard(subject: Subject): string | null;
}

export interface DialogProps<Subject> {
  slug: string;
  subject: Subject;
  onClose: () => void;
}

/** Something that can be done, once for buttons, menus, keys and palette. */
export interface Action<Subject> extends Rule<Subject> {
  readonly id: string;
  readonly label: string;
  readonly icon?: string;
  readonly keys?: string;
  /** How the palette calls it, and other words to find it by; absent where the palette does not offer it. */
  readonly inPalette?: { readonly label: string; readonly icon?: string; readonly also?: string };
  /** The form that asks before anything is done. */
  readonly Dialog: ComponentType<DialogProps<Subject>>;
}

export const ofEngine =
  (capability: Capability) =>
  ({ engine }: { engine: string }) => [{ engine, capability }];

/** Why none of these agents can do it; null where one can. */
export function whyNot<Subject>(rule: Rule<Subject>, subject: Subject, agents: readonly Agent[]): string | null {
  const reasons = rule.needs(subject).map(({ engine, capability }) => ableAgents(agents, engine, capability).reason);
  const unable = reasons.includes(null) ? null : (reasons[0] ?? null);
  return unable ?? rule.guard(subject);
}

interface Asked {
  action: Action<unknown>;
  subject: unknown;
}

/** What somebody wants to do; the dialog host of the shell shows its form. */
export const asked = createStore<Asked | null>(null);

export function ask<Subject>(action: Action<Subject>, subject: Subject): void {
  asked.set({ action: action as Action<unknown>, subject });
  overlay.set("asked");
}
