import type { ComponentProps, ReactNode } from "react";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { DialogFoot, type Leave } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { InlineAlert } from "../../../ui/panels/InlineAlert.tsx";
import { ProjectTag } from "../../projects/index.ts";
import { outcomeWords, refusalWords } from "../commands/words.ts";
import { AgentField } from "./AgentField.tsx";

interface CommandDialogProps {
  title: string;
  /** What is known of the request, as `useIssue` gives it. */
  request: { error: unknown; isLost: boolean; isPending: boolean };
  /** Without it no agent is chosen here. */
  agent?: ComponentProps<typeof AgentField>;
  /** What a refusal means. */
  nothing?: string;
  /** Why it was refused, in place of the words that every command has. */
  wordsOf?: (error: unknown) => string;
  /** What the request is called while it is not known whether it arrived. */
  what?: string;
  /** Its fields make it a form. `fault`: what is wrong in them, before the server has said anything. */
  form?: { fault: unknown };
  /** The words of the button that sends it; null once there is nothing more to send. */
  act: ReactNode;
  isDanger?: boolean;
  /** Why it cannot be sent; null when it can. */
  reason: string | null;
  leave?: Leave;
  onLeave?: () => void;
  onSend: () => void;
  onClose: () => void;
  /** Between the agent and the buttons. */
  below?: ReactNode;
  /** What will happen, and the fields. */
  children: ReactNode;
}

/** Asks for a command: what will happen, which agent is asked, why it was refused, and the buttons. */
export function CommandDialog(props: CommandDialogProps) {
  const { title, request, agent, form, act, reason, onSend, onClose } = props;
  const { error } = request;
  const body = (
    <>
      {props.children}
      {agent ? <AgentField {...agent} /> : null}
      {props.below}
      {error ? (
        <InlineAlert>
          {outcomeWords(request.isLost, props.nothing ?? "Nothing was asked for.", props.what)}{" "}
          {(props.wordsOf ?? refusalWords)(error)}
        </InlineAlert>
      ) : null}
      <DialogFoot leave={props.leave} onLeave={props.onLeave ?? onClose}>
        {act === null ? null : (
          <ActButton
            isDanger={props.isDanger ?? false}
            error={error}
            isBusy={request.isPending}
            reason={reason}
            {...(form ? {} : { onAct: onSend })}
          >
            {act}
          </ActButton>
        )}
      </DialogFoot>
    </>
  );
  return (
    <Dialog title={title} place={<ProjectTag />} onClose={onClose}>
      {form ? (
        <ActForm error={form.fault || error} className={controls.rows} onSubmit={onSend}>
          {body}
        </ActForm>
      ) : (
        body
      )}
    </Dialog>
  );
}
