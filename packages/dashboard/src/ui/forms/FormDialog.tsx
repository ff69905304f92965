import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { faultsByField } from "../../api/field-faults.ts";
import { ActButton } from "../buttons/ActButton.tsx";
import controls from "../controls.module.css";
import { DialogFoot } from "../layers/DialogFoot.tsx";
import { Dialog } from "../layers/Layers.tsx";
import { causeOf } from "../panels/Feedback.tsx";
import { InlineAlert } from "../panels/InlineAlert.tsx";
import { ActForm } from "./ActForm.tsx";

type Faults = Readonly<Record<string, string>>;

type Content = ReactNode | ((faults: Faults) => ReactNode);

interface FormDialogProps<Answer> {
  title: string;
  isSide?: boolean;
  /** Below the title: where it acts. */
  place?: ReactNode;
  /** The words of the button that sends it. */
  act: ReactNode;
  isDanger?: boolean;
  /** Why it cannot be sent yet; null when it can. */
  reason?: string | null;
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
  /** What is wrong in which of the fields. */
  faultsOf?: (error: unknown) => Faults;
  onClose: () => void;
  /** What will happen, and the fields. As a function it reads the faults of its fields while it runs; all others are listed below the fields. */
  children: Content;
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
  const faults = error ? faultsOf(error) : {};
  const { content, rest } = drawWith(faults, children);
  return (
    <Dialog title={props.title} place={props.place} isSide={props.isSide ?? false} onClose={onClose}>
      <ActForm error={error} className={controls.rows} onSubmit={() => change.mutate()}>
        {content}
        {error && (rest !== "" || Object.keys(faults).length === 0) ? (
          <InlineAlert>
            {undone && `${undone} `}
            {rest || wordsOf(error)}
          </InlineAlert>
        ) : null}
        <DialogFoot onLeave={onClose}>
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

/** The content, and the faults of fields that it does not have. */
function drawWith(faults: Faults, children: Content): { content: ReactNode; rest: string } {
  const drawn = new Set<string | symbol>();
  const watched = new Proxy(faults, {
    get(all, field) {
      drawn.add(field);
      return Reflect.get(all, field);
    },
  });
  const content = typeof children === "function" ? children(watched) : children;
  const rest = Object.entries(faults).filter(([field]) => !drawn.has(field));
  return { content, rest: rest.map(([field, fault]) => `${field}: ${fault}`).join(" ") };
}
