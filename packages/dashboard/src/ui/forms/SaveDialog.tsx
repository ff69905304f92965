import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { saveFile } from "../../save-file.ts";
import { ActButton } from "../buttons/ActButton.tsx";
import { Segments } from "../buttons/Segments.tsx";
import controls from "../controls.module.css";
import { Icon } from "../Icon.tsx";
import { DialogFoot } from "../layers/DialogFoot.tsx";
import { Dialog } from "../layers/Layers.tsx";
import { causeOf } from "../panels/Feedback.tsx";
import { InlineAlert } from "../panels/InlineAlert.tsx";
import { bytes } from "../time/format.ts";

interface SaveDialogProps<Format extends string> {
  title: string;
  formats: readonly [Choice<Format>, ...Choice<Format>[]];
  /** Loads the file. `since` limits it to newer rows, if `refused` offers that. */
  read: (asked: { format: Format; since: string | undefined }, reading: Reading) => Promise<ReadFile>;
  /** The default file name without extension. */
  name: string;
  /** Describes the contents of the file. */
  intro: ReactNode;
  children: (format: Format) => ReactNode;
  /** Rendered for an error with a way out; null for other errors. */
  refused: (error: unknown, format: Format, save: (since: string) => void) => ReactNode;
  reason?: string | null;
  act: ReactNode;
  onClose: () => void;
}

interface Choice<Format> {
  value: Format;
  label: string;
  title: string;
}

interface Reading {
  signal: AbortSignal;
  onBytes: (read: number) => void;
}

interface ReadFile {
  content: Blob;
  fileName: string | null;
}

/** Saves rows as a file in one of several formats. Closing the dialog cancels a running download. */
export function SaveDialog<Format extends string>(props: SaveDialogProps<Format>) {
  const { formats } = props;
  const [format, setFormat] = useState(formats[0].value);
  const [readBytes, setReadBytes] = useState(0);
  const abort = useRef<AbortController | null>(null);
  const save = useMutation({
    mutationFn: async (since: string | undefined) => {
      setReadBytes(0);
      abort.current = new AbortController();
      const { content, fileName } = await props.read(
        { format, since },
        { signal: abort.current.signal, onBytes: setReadBytes },
      );
      const name = fileName ?? `${props.name}.${format}`;
      saveFile(content, name);
      return { name, size: content.size };
    },
  });
  const { data, error, isPending } = save;
  const close = () => {
    abort.current?.abort();
    props.onClose();
  };
  // The result of one format does not apply to another.
  const choose = (next: Format) => {
    setFormat(next);
    if (!isPending) save.reset();
  };
  const plain =
    error && !abort.current?.signal.aborted ? <InlineAlert>Nothing was saved. {causeOf(error)}</InlineAlert> : null;
  return (
    <Dialog title={props.title} onClose={close}>
      <p>{props.intro}</p>
      <div className={controls.check}>
        <Segments legend="Format" value={format} options={formats} onChange={choose} />
      </div>
      {props.children(format)}
      {(error && props.refused(error, format, save.mutate)) ?? plain}
      <p role="status">
        {isPending ? `Downloading… ${bytes(readBytes)}` : null}
        {data ? `Saved ${data.name}, ${bytes(data.size)}.` : null}
      </p>
      <DialogFoot leave={data && !isPending ? "Close" : "Cancel"} onLeave={close}>
        <ActButton
          error={error}
          isBusy={isPending}
          {...(props.reason !== undefined && { reason: props.reason })}
          onAct={() => save.mutate(undefined)}
        >
          <Icon name="download" />
          {props.act}
        </ActButton>
      </DialogFoot>
    </Dialog>
  );
}
