import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

/** The files that each side of the connection between service and scheduler needs. `authority` issues the certificates of the other side. */
export type TlsMember = "certificate" | "key" | "authority";

/** PEM texts. A certificate may be a chain, and an authority several of them. */
export type TlsTexts = Readonly<Record<TlsMember, string>>;

export interface TlsFault {
  readonly member: TlsMember;
  /** Follows the name of the file's setting: "cannot be read (ENOENT)". */
  readonly message: string;
}

/** Gives the PEM text of a member, or throws. */
export type ReadTls = (member: TlsMember) => string;

/** Reads and checks all three texts; null with faults if they cannot be used. It checks neither issuers nor expiry. */
export function readTls(read: ReadTls): { readonly texts: TlsTexts | null; readonly faults: readonly TlsFault[] } {
  const faults: TlsFault[] = [];
  function readAs<T>(member: TlsMember, parse: (text: string) => T, message: string) {
    let text: string;
    try {
      text = read(member);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      faults.push({ member, message: code === undefined ? message : `cannot be read (${code})` });
      return null;
    }
    try {
      return { text, parsed: parse(text) };
    } catch {
      faults.push({ member, message });
      return null;
    }
  }
  const certificate = readAs("certificate", certificatesIn, "must contain a certificate in PEM form");
  const key = readAs("key", (text): KeyObject => createPrivateKey(text), "must contain a private key in PEM form");
  const authority = readAs("authority", certificatesIn, "must contain a certificate in PEM form");
  if (certificate !== null && key !== null && !certificate.parsed[0]?.checkPrivateKey(key.parsed)) {
    faults.push({ member: "key", message: "must be the key of the certificate" });
  }
  const texts =
    faults.length > 0 || certificate === null || key === null || authority === null
      ? null
      : { certificate: certificate.text, key: key.text, authority: authority.text };
  return { texts, faults };
}

/** @throws for a text without certificates, or with one that is not complete */
function certificatesIn(text: string): X509Certificate[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const begun = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  if (begun === 0 || begun !== blocks.length) throw new Error("a certificate is not complete");
  return blocks.map((block) => new X509Certificate(block));
}

type Listener<Update> = (update: Update | null) => void;

/** The shape of a CertificateProvider of grpc-js. */
interface Provided {
  readonly ca: { readonly caCertificate: Buffer };
  readonly identity: { readonly certificate: Buffer; readonly privateKey: Buffer };
}

export interface ReplaceableTlsOptions {
  readonly read: ReadTls;
  /** New connections use other texts from now on. */
  readonly onReplaced: (texts: TlsTexts) => void;
  /** The texts cannot be used, so the previous ones stay in use. Called again only for other faults. */
  readonly onRejected: (faults: readonly TlsFault[]) => void;
}

export type ReplaceableTls = ReturnType<typeof createReplaceableTls>;

/** Certificates that are replaced while connections stay open, beginning with `first`. */
export function createReplaceableTls(first: TlsTexts, { read, onReplaced, onRejected }: ReplaceableTlsOptions) {
  let current = first;
  let rejected = "";
  const authorities = new Set<Listener<Provided["ca"]>>();
  const identities = new Set<Listener<Provided["identity"]>>();
  const authority = () => ({ caCertificate: Buffer.from(current.authority) });
  const identity = () => ({ certificate: Buffer.from(current.certificate), privateKey: Buffer.from(current.key) });

  return {
    /** A CertificateProvider for credentials of grpc-js. */
    provider: {
      addCaCertificateListener(listener: Listener<Provided["ca"]>): void {
        authorities.add(listener);
        // grpc-js expects the first call after it has added the listener.
        queueMicrotask(() => listener(authority()));
      },
      removeCaCertificateListener: (listener: Listener<Provided["ca"]>): void => void authorities.delete(listener),
      addIdentityCertificateListener(listener: Listener<Provided["identity"]>): void {
        identities.add(listener);
        queueMicrotask(() => listener(identity()));
      },
      removeIdentityCertificateListener: (listener: Listener<Provided["identity"]>): void =>
        void identities.delete(listener),
    },
    /** Reads the texts again. New connections use them if they have changed and are correct. */
    reload(): void {
      const { texts, faults } = readTls(read);
      const was = rejected;
      rejected = faults.map(({ member, message }) => `${member} ${message}`).join();
      if (texts === null) {
        if (rejected !== was) onRejected(faults);
        return;
      }
      if (isSame(texts, current)) return;
      current = texts;
      for (const listener of authorities) listener(authority());
      for (const listener of identities) listener(identity());
      onReplaced(texts);
    },
  };
}

const isSame = (one: TlsTexts, other: TlsTexts): boolean =>
  one.certificate === other.certificate && one.key === other.key && one.authority === other.authority;
