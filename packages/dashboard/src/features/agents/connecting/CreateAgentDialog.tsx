import { ApiProblem, type MintedAgent } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { OnceDialog } from "../../../ui/forms/OnceDialog.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { printable } from "../../../ui/time/format.ts";
import { agentsQuery } from "../queries.ts";
import { AgentSnippets } from "./AgentSnippets.tsx";
import { ConnectionState, NotConnecting } from "./ConnectionState.tsx";
import { freeName } from "./free-name.ts";

interface CreateAgentDialogProps {
  slug: string;
  /** The engine that the agent will watch. */
  engine?: string;
  onClose: () => void;
  onCreated?: (agentId: string) => void;
}

/** Asks for a name, then shows the credentials once with the command that starts the agent. */
export function CreateAgentDialog({ slug, engine = "bullmq", onClose, onCreated }: CreateAgentDialogProps) {
  const client = useQueryClient();
  const [name, setName] = useState(() => freeName(engine, client.getQueryData(agentsQuery(slug).queryKey)?.items));
  return (
    <FormDialog
      title="Create agent"
      act="Create agent"
      send={() => api.createAgent(slug, { name: name.trim() })}
      onDone={({ agent }) => {
        onCreated?.(agent.id);
        client.setQueryData(agentsQuery(slug).queryKey, (old) => old && { items: [...old.items, agent] });
        void client.invalidateQueries({ queryKey: agentsQuery(slug).queryKey });
      }}
      answered={(created) => <CreatedDialog {...{ slug, engine, created, onClose }} />}
      errorsOf={(error) => ({ name: messageOf(error) })}
      onClose={onClose}
    >
      {(errors) => (
        <Field
          label="Name"
          required
          maxLength={200}
          autoFocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          hint="Create one agent for each deployment that watches an engine."
          error={errors.name}
        />
      )}
    </FormDialog>
  );
}

interface CreatedDialogProps {
  slug: string;
  engine: string;
  created: MintedAgent;
  onClose: () => void;
}

function CreatedDialog({ slug, engine, created, onClose }: CreatedDialogProps) {
  const agents = useQuery({ ...agentsQuery(slug), refetchInterval: 2_000 });
  const agent = agents.data?.items.find((one) => one.id === created.agent.id) ?? created.agent;
  return (
    <OnceDialog
      title={`Start ${printable(created.agent.name)}`}
      first="Save the credentials before you close this dialog"
      done="I've saved these credentials"
      onClose={onClose}
    >
      <p className="t2">
        Run this where the agent can reach {engine === "bullmq" ? "Redis and this server" : "this server"}. The token
        and the HMAC secret are shown only once.
      </p>
      <AgentSnippets engine={engine} secrets={{ token: created.token, hmacSecret: created.hmac_secret }} />
      <ConnectionState agent={agent} />
      {agent.state === "online" ? null : <NotConnecting />}
    </OnceDialog>
  );
}

function messageOf(error: unknown): string {
  if (!(error instanceof ApiProblem) || error.code !== "conflict") return causeOf(error);
  return error.details.reason === "project_archived"
    ? "The project is archived."
    : "An agent with this name already exists.";
}
