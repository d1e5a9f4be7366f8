import { messageOf } from '../wire/protocol/messages.js';

/** What the client of one statement sends, and how it reads the answers. Values travel as text. */

const TEXT = (value: string): Buffer => Buffer.from(`${value}\0`);

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

const UNNAMED = TEXT('');

export const simpleQueryOf = (sql: string): Buffer => messageOf('Q', TEXT(sql));
export const parseOf = (sql: string): Buffer => messageOf('P', Buffer.concat([UNNAMED, TEXT(sql), int16(0)]));
export const describeOf = (): Buffer => messageOf('D', Buffer.concat([Buffer.from('S'), UNNAMED]));
export const executeOf = (rows: number): Buffer => messageOf('E', Buffer.concat([UNNAMED, int32(rows)]));
export const flushOf = (): Buffer => messageOf('H');
export const syncOf = (): Buffer => messageOf('S');
export const terminateOf = (): Buffer => messageOf('X');

export function bindOf(values: readonly (string | null)[]): Buffer {
  const parts = [UNNAMED, UNNAMED, int16(0), int16(values.length)];
  for (const value of values) {
    if (value === null) parts.push(int32(-1));
    else {
      const bytes = Buffer.from(value);
      parts.push(int32(bytes.length), bytes);
    }
  }
  return messageOf('B', Buffer.concat([...parts, int16(0)]));
}

export interface ResultColumn {
  readonly name: string;
  readonly typeId: number;
}

export function columnsOf(body: Buffer): ResultColumn[] {
  const columns: ResultColumn[] = [];
  let at = 2;
  for (let count = body.readUInt16BE(0); count > 0; count--) {
    const end = body.indexOf(0, at);
    columns.push({ name: body.toString('utf8', at, end), typeId: body.readUInt32BE(end + 7) });
    // The table, the column, the type, its size, its modifier and the format follow the name.
    at = end + 19;
  }
  return columns;
}

export function typeIdsOf(body: Buffer): number[] {
  return Array.from({ length: body.readUInt16BE(0) }, (_, index) => body.readUInt32BE(2 + 4 * index));
}

export function valuesOf(body: Buffer): (string | null)[] {
  const values: (string | null)[] = [];
  let at = 2;
  for (let count = body.readUInt16BE(0); count > 0; count--) {
    const length = body.readInt32BE(at);
    at += 4;
    values.push(length === -1 ? null : body.toString('utf8', at, at + length));
    at += Math.max(0, length);
  }
  return values;
}

/** The fields of an error by their letters. */
export function fieldsOf(body: Buffer): ReadonlyMap<string, string> {
  return new Map(
    body
      .toString('utf8')
      .split('\0')
      .filter((field) => field !== '')
      .map((field) => [field[0]!, field.slice(1)]),
  );
}
