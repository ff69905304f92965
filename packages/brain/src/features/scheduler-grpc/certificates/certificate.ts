import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { days, minutes } from "../../../platform/durations.ts";

/** A certificate and its private key, as PEM texts. */
export interface IssuedCertificate {
  readonly certificate: string;
  readonly key: string;
}

export interface CertificateRequest {
  /** The common name, at most 64 characters. */
  readonly name: string;
  readonly now: Date;
  readonly validityDays: number;
}

const commonNameType = "2.5.4.3";
const ecdsaWithSha256 = "1.2.840.10045.4.3.2";
/** A certificate is valid from a little earlier, because clocks differ. */
const backdatedMs = minutes(5);

/** A new certificate authority on the curve P-256, signed with its own key. It issues certificates, but no further authorities. */
export function createAuthority(request: CertificateRequest): IssuedCertificate {
  const key = newKey();
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), true),
  ];
  return issue(request, { key, issuer: nameOf(request.name), signer: key, extensions });
}

/** A certificate of an authority on the curve P-256, for a server with these names and for a client. */
export function issueCertificate(
  authority: IssuedCertificate,
  request: CertificateRequest & { readonly dnsNames: readonly string[]; readonly addresses?: readonly string[] },
): IssuedCertificate {
  const { tbsCertificate } = AsnConvert.parse(new X509Certificate(authority.certificate).raw, Certificate);
  const alternatives = [
    ...request.dnsNames.map((dNSName) => new GeneralName({ dNSName })),
    ...(request.addresses ?? []).map((iPAddress) => new GeneralName({ iPAddress })),
  ];
  const extensions = [
    extension(id_ce_basicConstraints, new BasicConstraints({ cA: false }), true),
    extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), true),
    extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_clientAuth, id_kp_serverAuth])),
  ];
  if (alternatives.length > 0)
    extensions.push(extension(id_ce_subjectAltName, new SubjectAlternativeName(alternatives)));
  return issue(request, { key: newKey(), issuer: tbsCertificate.subject, signer: authority.key, extensions });
}

/** When a certificate expires. @throws for a text that is none */
export const expiryOf = (certificate: string): Date => new Date(new X509Certificate(certificate).validTo);

const newKey = (): string =>
  generateKeyPairSync("ec", {
    namedCurve: "P-256",
    publicKeyEncoding: { type: "spki", format: "pem" },
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
  }).privateKey;

interface Parts {
  readonly key: string;
  readonly issuer: Name;
  readonly signer: string;
  readonly extensions: Extension[];
}

function issue(
  { name, now, validityDays }: CertificateRequest,
  { key, issuer, signer, extensions }: Parts,
): IssuedCertificate {
  const algorithm = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 });
  const content = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialNumber(),
    signature: algorithm,
    issuer,
    validity: new Validity({
      notBefore: new Date(now.getTime() - backdatedMs),
      notAfter: new Date(now.getTime() + days(validityDays)),
    }),
    subject: nameOf(name),
    subjectPublicKeyInfo: publicKeyInfo(createPublicKey(key)),
    extensions: new Extensions(extensions),
  });
  const certificate = new Certificate({
    tbsCertificate: content,
    signatureAlgorithm: algorithm,
    signatureValue: exactBytes(sign("sha256", new Uint8Array(AsnConvert.serialize(content)), signer)),
  });
  return { certificate: pemOf(AsnConvert.serialize(certificate)), key };
}

const extension = (extnID: string, value: unknown, critical = false): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

const nameOf = (commonName: string): Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: commonNameType, value: new AttributeValue({ utf8String: commonName }) }),
    ]),
  ]);

const publicKeyInfo = (key: KeyObject): SubjectPublicKeyInfo =>
  AsnConvert.parse(key.export({ type: "spki", format: "der" }), SubjectPublicKeyInfo);

/** 16 random bytes that are a positive number without leading zeros. */
function serialNumber(): ArrayBuffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return exactBytes(bytes);
}

/** A buffer of Node may be a part of a larger one. */
const exactBytes = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

function pemOf(der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
