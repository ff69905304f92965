import { useQuery } from "@tanstack/react-query";
import { AreaField } from "../../../ui/forms/Field.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { sessionsQuery } from "../queries.ts";
import css from "./api-keys.module.css";
import { isLetIn, maxRanges, type Range, readRanges } from "./cidrs.ts";

interface AddressesFieldProps {
  text: string;
  onChange: (text: string) => void;
  /** What the server said of it. */
  error?: string | undefined;
}

/** Why what was typed cannot be sent, beside its field; null when it can. */
function addressesFault(text: string): string | null {
  const { ranges, faults } = readRanges(text);
  const [line] = faults;
  if (line !== undefined) return `Line ${line} is no IPv4 or IPv6 address, and no range of them.`;
  return ranges.length > maxRanges ? `${ranges.length} ranges; a key has at most ${maxRanges}.` : null;
}

/** The same for the button that would send it. */
export const addressesReason = (text: string): string | null =>
  addressesFault(text) === null ? null : "Correct the addresses first";

/** From where a key may be used: one range a line, what the server will make of them, and what that means for oneself. */
export function AddressesField({ text, onChange, error }: AddressesFieldProps) {
  const { ranges, faults } = readRanges(text);
  const rewritten = ranges.filter((range) => !text.split("\n").some((line) => line.trim() === range.text));
  return (
    <div className={css.addresses}>
      <AreaField
        label="May be used from"
        rows={4}
        spellCheck={false}
        autoComplete="off"
        placeholder={"10.20.0.0/16\n2001:db8::7"}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
        error={addressesFault(text) ?? error}
        hint={`One address or CIDR a line, ${ranges.length} of at most ${maxRanges}. None: from everywhere. Where the server has a list of its own, that must hold the address as well.`}
      />
      {rewritten.length === 0 ? null : (
        <p className="t2">
          Kept as{" "}
          {rewritten.map((range, at) => (
            <span key={range.text}>
              {at === 0 ? null : ", "}
              <code>{range.text}</code>
            </span>
          ))}
        </p>
      )}
      {faults.length === 0 ? <OwnAddress ranges={ranges} /> : null}
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
  if (!address) return <p className="t3">Your own address is not known, so it is not compared.</p>;
  const isIn = isLetIn(address, ranges);
  return (
    <p role="status" className={css.own} data-in={isIn}>
      <Glyph name={isIn ? "success" : "revoked"} />
      <span>
        Your address now: <code>{address}</code>, would be allowed: <b>{isIn ? "yes" : "no"}</b>{" "}
        <span className="t3">(as the server saw it when you signed in)</span>
      </span>
    </p>
  );
}
