import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { faultsByField } from "../../api/field-faults.ts";
import { ActButton } from "../buttons/ActButton.tsx";
import controls from "../controls.module.css";
import { DialogFoot } from "../layers/DialogFoot.tsx";
import { Dialog } from "../layers/Layers.tsx";
import { causeOf } from "../panels/Feedback.tsx";
import { Refusal } from "../panels/Refusal.tsx";
import { ActForm } from "./ActForm.tsx";

type Faults = Readonly<Record<string, string>>;

interface FormDialogProps<Answer> {
  title: string;
  isSide?: boolean;
  /** The words of the button that sends it. */
  act: ReactNode;
  isDanger?: boolean;
  /** Why it cannot be sent yet; null when it can. */
  reason?: string | null;
  /** The words of the button that leaves. */
  leave?: string;
  send: () => Promise<Answer>;
  /** Runs once it is sent; then the dialog closes, unless `answered` takes its place. */
  onDone?: (answer: Answer) => unknown;
  onError?: (error: Error) => void;
  /** Replaces the dialog once it is sent. */
  answered?: (answer: Answer) => ReactNode;
  /** What a refusal means where no field is at fault, such as `Nothing was deleted.` */
  undone?: string;
  /** Why it was refused, after `undone`. */
  wordsOf?: (error: unknown) => string;
  /** What is wrong in which of the fields, which `children` then draws as a function. */
  faultsOf?: (error: unknown) => Faults;
  onClose: () => void;
  /** What will happen, and the fields. */
  children: ReactNode | ((faults: Faults) => ReactNode);
}

/** A dialog that asks for one change: says what will happen, sends it, and says why it was refused. */
export function FormDialog<Answer>(props: FormDialogProps<Answer>) {
  const { undone, answered, onClose, children, faultsOf = faultsByField, wordsOf = causeOf } = props;
  const change = useMutation({
    mutationFn: props.send,
    onSuccess: async (answer) => {
      await props.onDone?.(answer);
      if (!answered) onClose();
    },
    ...(props.onError && { onError: props.onError }),
    // An answer may hold a secret.
    gcTime: 0,
  });
  if (answered && change.isSuccess) return answered(change.data);
  const { error, isPending } = change;
  const faults = error && typeof children === "function" ? faultsOf(error) : {};
  return (
    <Dialog title={props.title} isSide={props.isSide ?? false} onClose={onClose}>
      <ActForm error={error} className={controls.rows} onSubmit={() => change.mutate()}>
        {typeof children === "function" ? children(faults) : children}
        {error && Object.keys(faults).length === 0 ? (
          <Refusal>
            {undone && `${undone} `}
            {wordsOf(error)}
          </Refusal>
        ) : null}
        <DialogFoot leave={props.leave ?? "Cancel"} onLeave={onClose}>
          <ActButton
            isDanger={props.isDanger ?? false}
            error={error}
            isBusy={isPending}
            {...(props.reason !== undefined && { reason: props.reason })}
          >
            {props.act}
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}
