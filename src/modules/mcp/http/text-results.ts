import type { IncomingMessage } from 'node:http';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { readUpTo } from '../../../platform/http/inner-calls.js';
import type { Tool } from '../tools/tool.js';
import { MAX_TEXT_BYTES, quoted } from './tool-answers.js';

/** How many bytes a character of UTF-8 has at most. */
const MAX_CHARACTER_BYTES = 4;

/** A part of a text, and where it is in the whole. */
interface TextPiece {
  readonly bytes: Buffer;
  readonly begin: number;
  readonly total: number | undefined;
  /** True when there is more behind it. */
  readonly isCut: boolean;
}

/** Returns a text as it is, or says that it is none. Of a long one, it says where the rest begins. */
export async function textResultOf(
  response: IncomingMessage,
  tool: Pick<Tool, 'quotes' | 'beginsAt'>,
): Promise<CallToolResult> {
  const { bytes, isCut } = await readUpTo(response, MAX_TEXT_BYTES);
  const { begin, total } = extentOf(response);
  if (bytes.includes(0))
    return said(`This is no text, but ${total === undefined ? '' : `${total} bytes of `}something else.`);
  return pieceOfText({ bytes: isCut ? untilCharacter(bytes) : bytes, begin, total, isCut }, tool);
}

/** Shows a part of a text, and says where the rest begins. */
export function pieceOfText(
  { bytes, begin, total, isCut }: TextPiece,
  tool: Pick<Tool, 'quotes' | 'beginsAt'>,
): CallToolResult {
  const result = tool.quotes === undefined ? said(bytes.toString()) : quoted(bytes.toString(), tool);
  if (!isCut) return result;
  const next = tool.beginsAt === undefined ? '' : ` Call again with \`${tool.beginsAt}: ${begin + bytes.length}\`.`;
  const rest = `[Cut after ${bytes.length} bytes${total === undefined ? '' : ` of ${total}`}.${next}]`;
  return { ...result, content: [...result.content, { type: 'text', text: rest }] };
}

export const said = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

/** Where the part of the whole begins that was sent, and how long the whole is. */
function extentOf({ headers }: IncomingMessage): { begin: number; total: number | undefined } {
  const [, begin, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
  if (begin !== undefined) return { begin: Number(begin), total: Number(total) };
  const length = headers['content-length'];
  return { begin: 0, total: length === undefined ? undefined : Number(length) };
}

/** Leaves out a character at the end that is not whole. */
export function untilCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= MAX_CHARACTER_BYTES; back++) {
    const byte = bytes[bytes.length - back];
    if (byte === undefined || byte < 0x80) return bytes;
    // The first byte of a character says how many it has.
    if (byte >= 0xc0) return back === lengthOf(byte) ? bytes : bytes.subarray(0, bytes.length - back);
  }
  return bytes;
}

const lengthOf = (first: number): number => (first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2);
