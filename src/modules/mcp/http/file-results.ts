import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { readUpTo } from '../../../platform/http/inner-calls.js';
import type { Tool } from '../tools/tool.js';
import { pieceOfText, said, untilCharacter } from './text-results.js';
import { MAX_TEXT_BYTES, QUOTED } from './tool-answers.js';

/** The images of one execution have as many together, as base64. */
const MAX_IMAGE_BYTES = 3_145_728;
/** Other bytes are base64 in the result, within what a text may have. */
const MAX_OTHER_BYTES = 65_536;

/** How the images begin that clients show. A client that is sent something else may refuse the whole result. */
const IMAGES: readonly { readonly type: string; readonly begins: RegExp }[] = [
  { type: 'image/png', begins: /^\x89PNG\r\n\x1a\n/ },
  { type: 'image/jpeg', begins: /^\xff\xd8\xff/ },
  { type: 'image/gif', begins: /^GIF8[79]a/ },
  { type: 'image/webp', begins: /^RIFF[^]{4}WEBP/ },
];
const LONGEST_BEGINNING = 12;

/** What was asked for: where to begin, and the address of the file in the API. */
export interface AskedFile {
  readonly begin: number;
  readonly address: string;
}

/**
 * Shows a file by what is in it, whatever its name says: an image as an image, a text as text, and other bytes as a
 * resource. What is too large for a message is named with the address that returns it.
 */
export async function fileResultOf(
  response: IncomingMessage,
  tool: Pick<Tool, 'quotes' | 'beginsAt'>,
  { begin, address }: AskedFile,
): Promise<CallToolResult> {
  const total = Number(response.headers['content-length']);
  const { bytes, isCut } = await readUpTo(Readable.from(readFrom(response, begin)), MAX_IMAGE_BYTES);
  const type = begin === 0 ? imageTypeOf(bytes) : undefined;
  if (type !== undefined)
    return isCut
      ? tooLarge(`an image (${type})`, total, address)
      : { content: [{ type: 'image', data: bytes.toString('base64'), mimeType: type }], _meta: QUOTED };
  const isLong = bytes.length > MAX_TEXT_BYTES;
  const text = isLong ? untilCharacter(bytes.subarray(0, MAX_TEXT_BYTES)) : bytes;
  if (isText(text, begin)) return pieceOfText({ bytes: text, begin, total, isCut: isLong }, tool);
  return begin > 0 || bytes.length > MAX_OTHER_BYTES
    ? tooLarge('no text', total, address)
    : {
        content: [
          { type: 'text', text: `This is no text, but ${total} bytes of something else.` },
          {
            type: 'resource',
            resource: { uri: address, mimeType: 'application/octet-stream', blob: bytes.toString('base64') },
          },
        ],
        _meta: QUOTED,
      };
}

const tooLarge = (what: string, total: number, address: string): CallToolResult =>
  said(
    `This is ${what}, of ${total} bytes, and cannot be shown. ` +
      `Download it with an API key: GET ${address} with the header "Authorization: Bearer …".`,
  );

/** Reads a body from a byte on. */
async function* readFrom(body: Readable, begin: number): AsyncGenerator<Buffer> {
  let left = begin;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

function imageTypeOf(bytes: Buffer): string | undefined {
  const beginning = bytes.subarray(0, LONGEST_BEGINNING).toString('latin1');
  return IMAGES.find(({ begins }) => begins.test(beginning))?.type;
}

/** A caller that chose where to begin may have begun within a character. */
function isText(bytes: Buffer, begin: number): boolean {
  let at = 0;
  while (begin > 0 && at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  const whole = bytes.subarray(at);
  return !whole.includes(0) && isUtf8(whole);
}
