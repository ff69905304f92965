/** How values of one type travel in the server's binary format. */
export interface BinaryType<Value> {
  /** Name and number of the type in the server. */
  readonly name: string;
  readonly oid: number;
  /** Maximum bytes that the written value takes. */
  bytesOf(value: Value): number;
  /** Writes the value at an offset of the scratch buffer, which has room for it, and returns the number of bytes written. */
  write(value: Value, offset: number): number;
}

/** The server counts microseconds from 2000. */
const serverEpochMs = 946_684_800_000;
const nullLength = -1;
const smallestScratch = 1 << 16;
/** A larger scratch buffer is released after use, so that one huge batch does not hold memory forever. */
const largestKept = 1 << 24;

let scratch = Buffer.allocUnsafeSlow(smallestScratch);

/** Makes room for `bytes` more after `used`. */
function reserve(used: number, bytes: number): void {
  if (used + bytes <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, used + bytes));
  scratch.copy(larger, 0, 0, used);
  scratch = larger;
}

/** A copy of the first bytes of the scratch buffer. */
function taken(bytes: number): Buffer {
  const copy = Buffer.from(scratch.subarray(0, bytes));
  if (scratch.length > largestKept) scratch = Buffer.allocUnsafeSlow(smallestScratch);
  return copy;
}

/** Writes a value after its length, as in arrays and rows, and returns the offset after it. */
function writeValue<Value>(type: BinaryType<Value>, value: Value | null, offset: number): number {
  if (value === null) {
    reserve(offset, 4);
    scratch.writeInt32BE(nullLength, offset);
    return offset + 4;
  }
  reserve(offset, 4 + type.bytesOf(value));
  const bytes = type.write(value, offset + 4);
  scratch.writeInt32BE(bytes, offset);
  return offset + 4 + bytes;
}

const arrayHeaderBytes = 20;

/**
 * A column of a batch as a binary array parameter, for `unnest`. A buffer travels in the server's binary format, so it neither parses
 * nor builds an array text, and JSON is read once where it is stored: about a third less work per row than one JSON document.
 */
export function arrayOf<Value>(type: BinaryType<Value>, values: readonly (Value | null)[]): Buffer {
  reserve(0, arrayHeaderBytes);
  let offset = arrayHeaderBytes;
  let hasNull = 0;
  for (const value of values) {
    if (value === null) hasNull = 1;
    offset = writeValue(type, value, offset);
  }
  scratch.writeInt32BE(values.length === 0 ? 0 : 1, 0);
  scratch.writeInt32BE(hasNull, 4);
  scratch.writeInt32BE(type.oid, 8);
  // An array without elements has no dimension, so its header ends here.
  if (values.length === 0) return taken(12);
  scratch.writeInt32BE(values.length, 12);
  scratch.writeInt32BE(1, 16);
  return taken(offset);
}

/** A column of a table: for statements that take a column of a batch as an array, and for rows that are copied. */
export interface Column<Row> {
  readonly name: string;
  /** Name of its type in the server. */
  readonly type: string;
  arrayOf(rows: readonly Row[]): Buffer;
  /** Writes the row's value after its length, and returns the offset after it. */
  write(row: Row, offset: number): number;
}

export const column = <Row, Value>(
  name: string,
  type: BinaryType<Value>,
  of: (row: Row) => Value | null,
): Column<Row> => ({
  name,
  type: type.name,
  arrayOf: (rows) => arrayOf(type, rows.map(of)),
  write: (row, offset) => writeValue(type, of(row), offset),
});

const signature = Buffer.from("PGCOPY\n\xff\r\n\0", "latin1");
// The type and length of the message precede the signature; flags and the length of an extension (both zero) follow it.
const copyHeader = Buffer.concat([Buffer.from("d\0\0\0\0"), signature, Buffer.alloc(8)]);
const copyEnd = Buffer.from("\xff\xffc\0\0\0\x04", "latin1");

/**
 * Rows as `COPY … FROM STDIN (FORMAT binary)` reads them: the two messages CopyData and CopyDone as they go over the wire, in one
 * buffer, because a batch is large and the driver would copy it twice.
 */
export function copyMessagesOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): Buffer {
  reserve(0, copyHeader.length);
  copyHeader.copy(scratch);
  let offset = copyHeader.length;
  for (const row of rows) {
    reserve(offset, 2);
    scratch.writeInt16BE(columns.length, offset);
    offset += 2;
    for (const column of columns) offset = column.write(row, offset);
  }
  reserve(offset, copyEnd.length);
  copyEnd.copy(scratch, offset);
  // The end marker of the rows belongs to the first message, whose length excludes its type letter.
  scratch.writeInt32BE(offset + 2 - 1, 1);
  return taken(offset + copyEnd.length);
}

/** Up to this length a loop is faster than the call that writes a text. */
const shortText = 24;

export const text: BinaryType<string> = {
  name: "text",
  oid: 25,
  bytesOf: (value) => 3 * value.length,
  write(value, offset) {
    const { length } = value;
    if (length > shortText) return scratch.write(value, offset);
    for (let index = 0; index < length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 127) return scratch.write(value, offset);
      scratch[offset + index] = code;
    }
    return length;
  },
};

/** JSON texts. */
export const jsonb: BinaryType<string> = {
  name: "jsonb",
  oid: 3802,
  bytesOf: (value) => 1 + 3 * value.length,
  write(value, offset) {
    // The version of the format.
    scratch[offset] = 1;
    return 1 + scratch.write(value, offset + 1);
  },
};

/** Safe integers. */
export const bigint: BinaryType<number> = {
  name: "bigint",
  oid: 20,
  bytesOf: () => 8,
  write(value, offset) {
    writeInt64(value, offset);
    return 8;
  },
};

/** Instants in milliseconds since the Unix epoch. */
export const timestamptz: BinaryType<number> = {
  name: "timestamptz",
  oid: 1184,
  bytesOf: () => 8,
  write(ms, offset) {
    const micros = (ms - serverEpochMs) * 1000;
    if (Number.isSafeInteger(micros)) writeInt64(micros, offset);
    else scratch.writeBigInt64BE(BigInt(ms - serverEpochMs) * 1000n, offset);
    return 8;
  },
};

/** UUIDs in the 36-character form. */
export const uuid: BinaryType<string> = {
  name: "uuid",
  oid: 2950,
  bytesOf: () => 16,
  write(value, offset) {
    writeUuid(value, offset);
    return 16;
  },
};

/** The same for a column in which a value often repeats from row to row. */
export function repeatedUuid(): BinaryType<string> {
  const bytes = Buffer.alloc(16);
  let last = "";
  return {
    ...uuid,
    write(value, offset) {
      if (value !== last) {
        writeUuid(value, offset);
        scratch.copy(bytes, 0, offset, offset + 16);
        last = value;
      } else for (let index = 0; index < 16; index += 1) scratch[offset + index] = bytes[index] as number;
      return 16;
    },
  };
}

/** A safe integer as eight bytes. */
function writeInt64(value: number, offset: number): void {
  const high = Math.floor(value / 0x1_0000_0000);
  scratch.writeInt32BE(high, offset);
  scratch.writeUInt32BE(value - high * 0x1_0000_0000, offset + 4);
}

function writeUuid(uuid: string, offset: number): void {
  let at = offset;
  for (let index = 0; index < 36; index += 2) {
    // A hyphen precedes every group but the first.
    if (index === 8 || index === 13 || index === 18 || index === 23) index += 1;
    scratch[at] = (nibble(uuid.charCodeAt(index)) << 4) | nibble(uuid.charCodeAt(index + 1));
    at += 1;
  }
}

/** Value of a hexadecimal digit of either case. */
const nibble = (code: number): number => (code < 58 ? code - 48 : (code | 32) - 87);
