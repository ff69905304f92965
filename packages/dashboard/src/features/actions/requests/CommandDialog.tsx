import type { ComponentProps, ReactNode } from "react";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { DialogFoot, type Leave } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { InlineAlert } from "../../../ui/panels/InlineAlert.tsx";
import { ProjectTag } from "../../projects/index.ts";
import { outcomeMessage, refusalMessage } from "../commands/labels.ts";
import { AgentField } from "./AgentField.tsx";

interface CommandDialogProps {
  title: string;
  /** The state of the request, as returned by `useIssue`. */
  request: { error: unknown; isLost: boolean; isPending: boolean };
  /** Absent if the dialog has no choice of an agent. */
  agent?: ComponentProps<typeof AgentField>;
  /** What did not happen after a refusal. */
  nothing?: string;
  /** The reason of a refusal; by default that of any command. */
  messageOf?: (error: unknown) => string;
  /** Names the request while its outcome is unknown. */
  what?: string | undefined;
  /** Set if the dialog has fields. `error`: their errors before the request is sent. */
  form?: { error: unknown };
  /** Label of the button that sends it; null once there is nothing more to send. */
  act: ReactNode;
  isDanger?: boolean;
  /** Why it can't be sent, or null. */
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

/** Confirms a command: its effect, its agent, the reason of a refusal, and the buttons. */
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
          {outcomeMessage(request.isLost, props.nothing ?? "Nothing was requested.", props.what)}{" "}
          {(props.messageOf ?? refusalMessage)(error)}
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
        <ActForm error={form.error || error} className={controls.rows} onSubmit={onSend}>
          {body}
        </ActForm>
      ) : (
        body
      )}
    </Dialog>
  );
}
