import { useQuery } from "@tanstack/react-query";
import { AreaField } from "../../../ui/forms/Field.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { sessionsQuery } from "../queries.ts";
import css from "./api-keys.module.css";
import { isAllowed, maxRanges, type Range, readRanges } from "./cidrs.ts";

interface AddressesFieldProps {
  text: string;
  onChange: (text: string) => void;
  /** The server's error for this field. */
  error?: string | undefined;
}

/** The field's error; null when the text is valid. */
function addressesError(text: string): string | null {
  const { ranges, badLines } = readRanges(text);
  const [line] = badLines;
  if (line !== undefined) return `Line ${line} is not an IPv4 or IPv6 address or range.`;
  return ranges.length > maxRanges ? `${ranges.length} ranges. Maximum ${maxRanges} per key.` : null;
}

/** Why the form cannot be submitted; null when it can. */
export const addressesReason = (text: string): string | null =>
  addressesError(text) === null ? null : "Fix the addresses first";

/** The addresses that may use a key, one range a line, with their canonical form and whether the user's own address is included. */
export function AddressesField({ text, onChange, error }: AddressesFieldProps) {
  const { ranges, badLines } = readRanges(text);
  const rewritten = ranges.filter((range) => !text.split("\n").some((line) => line.trim() === range.text));
  return (
    <div className={css.addresses}>
      <AreaField
        label="Allowed addresses"
        rows={4}
        spellCheck={false}
        autoComplete="off"
        placeholder={"10.20.0.0/16\n2001:db8::7"}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={addressesError(text) ?? error}
        hint={`One address or CIDR range per line (${ranges.length} of ${maxRanges}). Leave empty to allow any address. If the server has its own allowlist, an address must be on both lists.`}
      />
      {rewritten.length === 0 ? null : (
        <p className="t2">
          Saved as{" "}
          {rewritten.map((range, at) => (
            <span key={range.text}>
              {at === 0 ? null : ", "}
              <code>{range.text}</code>
            </span>
          ))}
        </p>
      )}
      {badLines.length === 0 ? <OwnAddress ranges={ranges} /> : null}
    </div>
  );
}

function OwnAddress({ ranges }: { ranges: readonly Range[] }) {
  return (
    <QueryBoundary name="Your address" read={useQuery(sessionsQuery)} rows={1} isPart>
      {({ items }) => <Verdict address={items.find(({ is_current }) => is_current)?.ip_at_issue} ranges={ranges} />}
    </QueryBoundary>
  );
}

function Verdict({ address, ranges }: { address: string | null | undefined; ranges: readonly Range[] }) {
  if (!address) return <p className="t3">Your own address is unknown, so it can't be checked.</p>;
  const isIn = isAllowed(address, ranges);
  return (
    <p role="status" className={css.own} data-in={isIn}>
      <Glyph name={isIn ? "success" : "revoked"} />
      <span>
        Your address <code>{address}</code> would be <b>{isIn ? "allowed" : "refused"}</b> by this key{" "}
        <span className="t3">(as seen by the server when you signed in)</span>
      </span>
    </p>
  );
}
