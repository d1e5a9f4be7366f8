const HEADER_BYTES = 12;
const QUESTION_END_BYTES = 4;
const LONGEST_NAME = 253;
const LONGEST_LABEL = 63;
const LONGEST_TEXT = 255;
/** A pointer to the name of the question, which always follows the header. */
const POINTER_TO_QUESTION = 0xc00c;
const CLASS_INTERNET = 1;

const IS_ANSWER = 0x8000;
const OPCODE_BITS = 0x7800;
const RECURSION_DESIRED = 0x0100;
const RECURSION_AVAILABLE = 0x0080;

/** The types of records that are answered, by their numbers (RFC 1035, 3596, 2782). */
export const TYPES = { A: 1, MX: 15, TXT: 16, SRV: 33 } as const;

/** The codes of an answer (RFC 1035, section 4.1.1). */
const CODES = { found: 0, malformed: 1, failed: 2, absent: 3, unsupported: 4, refused: 5 } as const;
export type AnswerCode = keyof typeof CODES;

export interface DnsQuery {
  readonly id: number;
  /** The name in lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  readonly recursion: boolean;
  /** The question as it was sent, which an answer repeats. */
  readonly question: Buffer;
}

export type DnsRecord = { readonly ttl: number } & (
  | { readonly type: 'A'; readonly address: string }
  | { readonly type: 'MX'; readonly priority: number; readonly exchange: string }
  | { readonly type: 'TXT'; readonly entries: readonly string[] }
  | {
      readonly type: 'SRV';
      readonly priority: number;
      readonly weight: number;
      readonly port: number;
      readonly name: string;
    }
);

/** Reads a query with one question about a name of the internet. Returns null for anything else. */
export function queryIn(message: Buffer): DnsQuery | null {
  if (message.length < HEADER_BYTES) return null;
  const flags = message.readUInt16BE(2);
  if ((flags & (IS_ANSWER | OPCODE_BITS)) !== 0 || message.readUInt16BE(4) !== 1) return null;
  const labels: string[] = [];
  let place = HEADER_BYTES;
  for (;;) {
    const length = message[place];
    // Compressed names and longer labels begin with other bits. A question has nothing before it to point to.
    if (length === undefined || length > LONGEST_LABEL || place + 1 + length > message.length) return null;
    place += 1;
    if (length === 0) break;
    labels.push(message.toString('latin1', place, place + length));
    place += length;
  }
  const end = place + QUESTION_END_BYTES;
  const name = labels.join('.').toLowerCase();
  if (end > message.length || name.length > LONGEST_NAME || labels.some((label) => label.includes('.'))) return null;
  if (message.readUInt16BE(place + 2) !== CLASS_INTERNET) return null;
  return {
    id: message.readUInt16BE(0),
    name,
    type: message.readUInt16BE(place),
    recursion: (flags & RECURSION_DESIRED) !== 0,
    question: message.subarray(HEADER_BYTES, end),
  };
}

/** Returns the answer to a query. Records that cannot be written are left out. */
export function answerTo(query: DnsQuery, code: AnswerCode, records: readonly DnsRecord[] = []): Buffer {
  const written = records.flatMap((record) => recordOf(record) ?? []);
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt16BE(query.id, 0);
  header.writeUInt16BE(IS_ANSWER | RECURSION_AVAILABLE | (query.recursion ? RECURSION_DESIRED : 0) | CODES[code], 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(written.length, 6);
  return Buffer.concat([header, query.question, ...written]);
}

function recordOf(record: DnsRecord): Buffer | null {
  const data = dataOf(record);
  if (data === null || data.length > 0xffff) return null;
  const head = Buffer.alloc(12);
  head.writeUInt16BE(POINTER_TO_QUESTION, 0);
  head.writeUInt16BE(TYPES[record.type], 2);
  head.writeUInt16BE(CLASS_INTERNET, 4);
  head.writeUInt32BE(Math.min(Math.max(0, Math.floor(record.ttl)), 0x7fff_ffff), 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function dataOf(record: DnsRecord): Buffer | null {
  switch (record.type) {
    case 'A':
      return Buffer.from(record.address.split('.').map(Number));
    case 'TXT': {
      const entries = record.entries.map((entry) => Buffer.from(entry));
      if (entries.some(({ length }) => length > LONGEST_TEXT)) return null;
      return Buffer.concat(entries.flatMap((entry) => [Buffer.from([entry.length]), entry]));
    }
    case 'MX':
      return withNumbers([record.priority], record.exchange);
    case 'SRV':
      return withNumbers([record.priority, record.weight, record.port], record.name);
  }
}

function withNumbers(numbers: readonly number[], name: string): Buffer | null {
  const written = nameOf(name);
  if (written === null) return null;
  const head = Buffer.alloc(numbers.length * 2);
  numbers.forEach((number, index) => head.writeUInt16BE(number & 0xffff, index * 2));
  return Buffer.concat([head, written]);
}

function nameOf(name: string): Buffer | null {
  const labels = name.split('.').filter((label) => label !== '');
  if (name.length > LONGEST_NAME || labels.some((label) => label.length > LONGEST_LABEL)) return null;
  return Buffer.concat([
    ...labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]),
    Buffer.from([0]),
  ]);
}
