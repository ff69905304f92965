import { createPrivateKey, randomUUID, X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import type { IssuedCertificate } from "./certificate.ts";

/** Where a certificate and its key are. */
export interface CertificateFiles {
  readonly certificatePath: string;
  readonly keyPath: string;
}

/** Creates a folder that only this user may read. */
export const makePrivateFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 });

/** Replaces a file atomically; only this user may read it. */
export function writePrivateFile(path: string, text: string): void {
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(fresh, text, { mode: 0o600, flag: "wx" });
    renameSync(fresh, path);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}

/** The key first, so that a certificate always has one. */
export function writeCertificate({ certificatePath, keyPath }: CertificateFiles, issued: IssuedCertificate): void {
  writePrivateFile(keyPath, issued.key);
  writePrivateFile(certificatePath, issued.certificate);
}

export const certificateExists = ({ certificatePath, keyPath }: CertificateFiles): boolean =>
  existsSync(certificatePath) || existsSync(keyPath);

/** @throws for files that are missing, are not PEM, or do not belong together. */
export function readCertificate({ certificatePath, keyPath }: CertificateFiles): IssuedCertificate {
  const issued = { certificate: readFileSync(certificatePath, "utf8"), key: readFileSync(keyPath, "utf8") };
  if (!new X509Certificate(issued.certificate).checkPrivateKey(createPrivateKey(issued.key)))
    throw new Error(`${keyPath} is not the key of ${certificatePath}`);
  return issued;
}
