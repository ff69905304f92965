import type { Command } from "@svc/client";
import { lazy } from "react";
import type { Action } from "../registry/action.ts";
import { mayHaveToBeSentAgain, requestOf } from "./send-again.ts";

const SendAgainDialog = lazy(() => import("./SendAgainDialog.tsx").then((part) => ({ default: part.SendAgainDialog })));

/** Makes a command that did not succeed once more, under a key of its own. */
export const sendAgain: Action<Command> = {
  id: "command.send-again",
  label: "Send again",
  icon: "retry",
  inPalette: { label: "Send this command again" },
  needs: (command) => [requestOf(command) ?? []].flat(),
  guard: (command) => {
    if (!mayHaveToBeSentAgain(command)) return "It needs no second one";
    return requestOf(command) === null
      ? "This command can't be repeated because its payload is incomplete; start it again from its target"
      : null;
  },
  Dialog: ({ subject, ...rest }) => <SendAgainDialog {...rest} command={subject} />,
};
