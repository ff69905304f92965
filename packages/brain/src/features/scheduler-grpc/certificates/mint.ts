import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import { days } from "../../../platform/durations.ts";
import { createAuthority, expiryOf, type IssuedCertificate, issueCertificate } from "./certificate.ts";
import {
  type CertificateFiles,
  certificateExists,
  makePrivateFolder,
  readCertificate,
  writeCertificate,
} from "./certificate-files.ts";

export interface MintRequest {
  readonly folder: string;
  /** Common name, and base of the file names. */
  readonly name: string;
  readonly validityDays: number;
  /** Replaces a certificate of this name, for example before it expires. */
  readonly replaces: boolean;
  readonly now: Date;
}

export interface MintedCertificate extends CertificateFiles {
  /** The certificate of the authority. */
  readonly authorityPath: string;
  readonly isNewAuthority: boolean;
  readonly expiresAt: Date;
}

/** Why no certificate was issued. */
export class MintRefused extends Error {
  readonly reason: "name" | "exists" | "authority" | "outlives_authority";
  constructor(reason: MintRefused["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "MintRefused";
    this.reason = reason;
  }
}

const authorityName = "svc scheduler authority";
const authorityValidityDays = 3660;
/** Longest validity of a certificate. */
export const maxValidityDays = 3650;
/** A common name has at most 64 characters; these are also safe in file names. */
const nameForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const reservedName = "ca";

/**
 * Issues a certificate for a scheduler, or for the listener of the service, in `<name>.pem` and `<name>.key`. Creates the authority in
 * `ca.pem` and `ca.key` when the folder has none.
 *
 * @throws MintRefused
 */
export function mintCertificate({ folder, name, validityDays, replaces, now }: MintRequest): MintedCertificate {
  if (!nameForm.test(name) || name === reservedName) {
    throw new MintRefused(
      "name",
      "a name has 1 to 64 characters of A-Z, a-z, 0-9, dot, hyphen and underscore, the first one of A-Z, a-z or 0-9, and is not ca",
    );
  }
  const files = filesOf(folder, name);
  if (!replaces && certificateExists(files))
    throw new MintRefused("exists", `${files.certificatePath} or its key exists`);
  makePrivateFolder(folder);
  const { authority, isNew } = openAuthority(folder, now);
  const expiresAt = new Date(now.getTime() + days(validityDays));
  const authorityExpiry = expiryOf(authority.certificate);
  if (expiresAt > authorityExpiry) {
    throw new MintRefused(
      "outlives_authority",
      `the certificate would be valid for longer than its authority, which expires at ${authorityExpiry.toISOString()}`,
    );
  }
  writeCertificate(files, issueCertificate(authority, { name, dnsNames: [name], now, validityDays }));
  return { ...files, authorityPath: filesOf(folder, reservedName).certificatePath, isNewAuthority: isNew, expiresAt };
}

const filesOf = (folder: string, name: string): CertificateFiles => ({
  certificatePath: join(folder, `${name}.pem`),
  keyPath: join(folder, `${name}.key`),
});

function openAuthority(folder: string, now: Date): { authority: IssuedCertificate; isNew: boolean } {
  const files = filesOf(folder, reservedName);
  if (!certificateExists(files)) {
    const authority = createAuthority({ name: authorityName, now, validityDays: authorityValidityDays });
    writeCertificate(files, authority);
    return { authority, isNew: true };
  }
  try {
    const authority = readCertificate(files);
    if (new X509Certificate(authority.certificate).ca) return { authority, isNew: false };
  } catch (cause) {
    throw new MintRefused("authority", `the authority cannot be used: ${(cause as Error).message}`, { cause });
  }
  throw new MintRefused("authority", `${files.certificatePath} is not the certificate of an authority`);
}
