import { ApiProblem, type MintedAgent } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { OnceDialog } from "../../../ui/forms/OnceDialog.tsx";
import { Snippet } from "../../../ui/forms/Snippet.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { printable } from "../../../ui/time/format.ts";
import { agentsQuery } from "../queries.ts";
import { AgentSnippets } from "./AgentSnippets.tsx";
import { FirstHello, NothingArrives } from "./FirstHello.tsx";

interface MintDialogProps {
  slug: string;
  onClose: () => void;
  /** For a page that goes on showing the secrets until it is left. */
  onMinted?: (minted: MintedAgent) => void;
}

/** Name first, then the two secrets, shown once, with what to paste and the wait for the first hello. */
export function MintDialog({ slug, onClose, onMinted }: MintDialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  return (
    <FormDialog
      title="Mint an agent"
      act="Mint agent"
      send={() => api.createAgent(slug, { name: name.trim() })}
      onDone={(minted) => {
        onMinted?.(minted);
        client.setQueryData(agentsQuery(slug).queryKey, (old) => old && { items: [...old.items, minted.agent] });
        void client.invalidateQueries({ queryKey: agentsQuery(slug).queryKey });
      }}
      answered={(minted) => <MintedDialog slug={slug} minted={minted} onClose={onClose} />}
      faultsOf={(error) => ({ name: mintFailure(error) })}
      onClose={onClose}
    >
      {(faults) => (
        <Field
          label="Name"
          required
          maxLength={200}
          autoFocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          hint="One agent per place that watches an engine, for instance mailer-1."
          error={faults.name}
        />
      )}
    </FormDialog>
  );
}

function MintedDialog({ slug, minted, onClose }: { slug: string; minted: MintedAgent; onClose: () => void }) {
  const agents = useQuery({ ...agentsQuery(slug), refetchInterval: 2_000 });
  const agent = agents.data?.items.find((one) => one.id === minted.agent.id) ?? minted.agent;
  return (
    <OnceDialog
      title={`${printable(minted.agent.name)} is minted`}
      first="Store both first; they cannot be shown again"
      done="I have stored both"
      onClose={onClose}
    >
      <p className="t2">The token and the secret are shown this once. The server keeps only a digest of the token.</p>
      <Snippet name="token" text={minted.token} />
      <Snippet name="HMAC secret" text={minted.hmac_secret} />
      <AgentSnippets slug={slug} secrets={{ token: minted.token, hmacSecret: minted.hmac_secret }} />
      <FirstHello agent={agent} />
      {agent.state === "online" ? null : <NothingArrives />}
    </OnceDialog>
  );
}

function mintFailure(error: unknown): string {
  if (!(error instanceof ApiProblem)) return causeOf(error);
  if (error.code === "conflict") {
    return error.details.reason === "project_archived"
      ? "The project is archived."
      : "An agent of this name exists already.";
  }
  return causeOf(error);
}
