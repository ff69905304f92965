import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TlsTexts } from "@svc/protocol";
import { days } from "../../../platform/durations.ts";
import { createAuthority, expiryOf, issueCertificate } from "./certificate.ts";
import {
  type CertificateFiles,
  makePrivateFolder,
  readCertificate,
  writeCertificate,
  writePrivateFile,
} from "./certificate-files.ts";

/** The only name that the listener of the embedded scheduler accepts. */
export const embeddedName = "svc-embedded-scheduler";

export interface EmbeddedPki {
  readonly server: TlsTexts;
  readonly client: CertificateFiles & { readonly authorityPath: string };
  /** When the certificates must be replaced. */
  readonly renewAt: Date;
}

const validityDays = 365;
const renewedBeforeMs = days(60);

/**
 * The certificates between this service and its embedded scheduler. They are replaced together when they are missing, damaged or about to
 * expire. The key of their authority is not stored, so nothing else can get a certificate from it.
 */
export function openEmbeddedPki(folder: string, now: Date): EmbeddedPki {
  makePrivateFolder(folder);
  return readPki(folder, now) ?? createPki(folder, now);
}

const placesIn = (folder: string) => ({
  authorityPath: join(folder, "ca.pem"),
  server: { certificatePath: join(folder, "brain.pem"), keyPath: join(folder, "brain.key") },
  client: { certificatePath: join(folder, "scheduler.pem"), keyPath: join(folder, "scheduler.key") },
});

/** Null unless all files are there, belong together and need no renewal. */
function readPki(folder: string, now: Date): EmbeddedPki | null {
  const { authorityPath, server, client } = placesIn(folder);
  try {
    const authority = readFileSync(authorityPath, "utf8");
    const issued = { server: readCertificate(server), client: readCertificate(client) };
    const { publicKey } = new X509Certificate(authority);
    const all = [issued.server.certificate, issued.client.certificate].map((text) => new X509Certificate(text));
    if (!all.every((certificate) => certificate.verify(publicKey) && new Date(certificate.validFrom) <= now))
      return null;
    const earliest = Math.min(...[authority, ...all.map(String)].map((text) => expiryOf(text).getTime()));
    const renewAt = new Date(earliest - renewedBeforeMs);
    if (renewAt <= now) return null;
    return { server: { ...issued.server, authority }, client: { ...client, authorityPath }, renewAt };
  } catch {
    return null;
  }
}

function createPki(folder: string, now: Date): EmbeddedPki {
  const { authorityPath, server, client } = placesIn(folder);
  const request = { now, validityDays };
  const authority = createAuthority({ name: "svc embedded authority", ...request });
  const issued = issueCertificate(authority, {
    name: "svc-brain",
    dnsNames: ["localhost"],
    addresses: ["127.0.0.1", "::1"],
    ...request,
  });
  writePrivateFile(authorityPath, authority.certificate);
  writeCertificate(server, issued);
  writeCertificate(client, issueCertificate(authority, { name: embeddedName, dnsNames: [], ...request }));
  return {
    server: { ...issued, authority: authority.certificate },
    client: { ...client, authorityPath },
    renewAt: new Date(expiryOf(issued.certificate).getTime() - renewedBeforeMs),
  };
}
