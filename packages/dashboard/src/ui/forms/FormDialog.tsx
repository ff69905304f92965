import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { errorsByField } from "../../api/field-errors.ts";
import { ActButton } from "../buttons/ActButton.tsx";
import controls from "../controls.module.css";
import { DialogFoot } from "../layers/DialogFoot.tsx";
import { Dialog } from "../layers/Layers.tsx";
import { causeOf } from "../panels/Feedback.tsx";
import { InlineAlert } from "../panels/InlineAlert.tsx";
import { ActForm } from "./ActForm.tsx";

type FieldErrors = Readonly<Record<string, string>>;

type Content = ReactNode | ((errors: FieldErrors) => ReactNode);

interface FormDialogProps<Answer> {
  title: string;
  isSide?: boolean;
  /** Shown below the title: the project it applies to. */
  place?: ReactNode;
  /** The label of the submit button. */
  act: ReactNode;
  isDanger?: boolean;
  /** Why it can't be submitted yet; null when it can. */
  reason?: string | null;
  send: () => Promise<Answer>;
  /** Called after success; then the dialog closes, unless `answered` replaces it. */
  onDone?: (answer: Answer) => unknown;
  onError?: (error: Error) => void;
  /** Replaces the dialog after success. */
  answered?: (answer: Answer) => ReactNode;
  /** The consequence of an error that belongs to no field, such as `Nothing was deleted.` */
  undone?: string;
  /** The message of an error, shown after `undone`. */
  errorText?: (error: unknown) => string;
  /** The errors by field. */
  errorsOf?: (error: unknown) => FieldErrors;
  onClose: () => void;
  /** The explanation and the fields. As a function, it receives the field errors; those it does not read are listed below the fields. */
  children: Content;
}

/** A dialog with a form for one change: explains it, submits it, and shows errors. */
export function FormDialog<Answer>(props: FormDialogProps<Answer>) {
  const { undone, answered, onClose, children, errorsOf = errorsByField, errorText = causeOf } = props;
  const change = useMutation({
    mutationFn: props.send,
    onSuccess: async (answer) => {
      await props.onDone?.(answer);
      if (!answered) onClose();
    },
    ...(props.onError && { onError: props.onError }),
    // A response may contain a secret.
    gcTime: 0,
  });
  if (answered && change.isSuccess) return answered(change.data);
  const { error, isPending } = change;
  const errors = error ? errorsOf(error) : {};
  const { content, rest } = drawWith(errors, children);
  return (
    <Dialog title={props.title} place={props.place} isSide={props.isSide ?? false} onClose={onClose}>
      <ActForm error={error} className={controls.rows} onSubmit={() => change.mutate()}>
        {content}
        {error && (rest !== "" || Object.keys(errors).length === 0) ? (
          <InlineAlert>
            {undone && `${undone} `}
            {rest || errorText(error)}
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

/** The content, and the errors of fields that it does not have. */
function drawWith(errors: FieldErrors, children: Content): { content: ReactNode; rest: string } {
  const drawn = new Set<string | symbol>();
  const watched = new Proxy(errors, {
    get(all, field) {
      drawn.add(field);
      return Reflect.get(all, field);
    },
  });
  const content = typeof children === "function" ? children(watched) : children;
  const rest = Object.entries(errors).filter(([field]) => !drawn.has(field));
  return { content, rest: rest.map(([field, error]) => `${field}: ${error}`).join(" ") };
}
