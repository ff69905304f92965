import type { Agent } from "@svc/client";
import type { ComponentType } from "react";
import { overlay } from "../../../shell/overlay.ts";
import { createStore } from "../../../ui/store.ts";
import { type Capability, eligibleAgents } from "../requests/eligible-agents.ts";

/** Decides whether an action is possible. Its dialog checks the same while it is open. */
export interface Rule<Subject> {
  /** The minimum role; operator by default. */
  readonly role?: "admin";
  /** Engines and capabilities, of which one is enough. Empty if the dialog checks the agents. */
  needs(subject: Subject): readonly { engine: string; capability: Capability }[];
  /** Why the subject does not allow it, or null. */
  guard(subject: Subject): string | null;
}

export interface DialogProps<Subject> {
  slug: string;
  subject: Subject;
  onClose: () => void;
}

/** An action, defined once for buttons, menus, keys and palette. */
export interface Action<Subject> extends Rule<Subject> {
  readonly id: string;
  readonly label: string;
  readonly icon?: string;
  readonly keys?: string;
  /** Its label in the palette and other search words; absent if the palette does not offer it. */
  readonly inPalette?: { readonly label: string; readonly icon?: string; readonly also?: string };
  /** The dialog that asks for confirmation first. */
  readonly Dialog: ComponentType<DialogProps<Subject>>;
}

export const ofEngine =
  (capability: Capability) =>
  ({ engine }: { engine: string }) => [{ engine, capability }];

/** Why none of these agents can do it; null if one can. */
export function whyNot<Subject>(rule: Rule<Subject>, subject: Subject, agents: readonly Agent[]): string | null {
  const reasons = rule
    .needs(subject)
    .map(({ engine, capability }) => eligibleAgents(agents, engine, capability).reason);
  const ineligible = reasons.includes(null) ? null : (reasons[0] ?? null);
  return ineligible ?? rule.guard(subject);
}

interface Asked {
  action: Action<unknown>;
  subject: unknown;
}

/** The action whose dialog is open; `AskedDialog` shows it. */
export const asked = createStore<Asked | null>(null);

export function ask<Subject>(action: Action<Subject>, subject: Subject): void {
  asked.set({ action: action as Action<unknown>, subject });
  overlay.set("asked");
}
