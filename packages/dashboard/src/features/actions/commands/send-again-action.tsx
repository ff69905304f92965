import type { Command } from "@svc/client";
import { lazy } from "react";
import type { Action } from "../registry/action.ts";
import { canSendAgain, requestOf } from "./send-again.ts";

const SendAgainDialog = lazy(() => import("./SendAgainDialog.tsx").then((part) => ({ default: part.SendAgainDialog })));

/** Repeats an unsuccessful command as a new one with its own key. */
export const sendAgain: Action<Command> = {
  id: "command.send-again",
  label: "Send again",
  icon: "retry",
  inPalette: { label: "Send this command again" },
  needs: (command) => [requestOf(command) ?? []].flat(),
  guard: (command) => {
    if (!canSendAgain(command)) return "This command doesn't need to be sent again";
    return requestOf(command) === null
      ? "This command can't be repeated because its payload is incomplete. Start it again from its target"
      : null;
  },
  Dialog: ({ subject, ...rest }) => <SendAgainDialog {...rest} command={subject} />,
};
