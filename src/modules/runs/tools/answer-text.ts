import type { IncomingHttpHeaders } from 'node:http';
import { storable } from './bounded-text.js';
import { cutToBytes } from '../../../platform/text/cut-text.js';
import { readableText } from './readable-text.js';

const MAX_TEXT_BYTES = 262_144;
const MAX_HEADER_LENGTH = 1_000;

/** The headers that help a model to go on. */
const SHOWN =
  /^(?:content-type|content-length|etag|last-modified|link|location|retry-after|x-request-id|(?:x-)?ratelimit-.*)$/;
const TEXTUAL = /^(?:text\/|application\/(?:[\w.+-]*\+)?(?:json|xml|yaml|javascript|x-ndjson|x-www-form-urlencoded))/;
const HTML = /^(?:text\/html|application\/xhtml\+xml)/;

export interface AnswerText {
  readonly content_type: string;
  readonly text?: string;
  readonly truncated: boolean;
  /** What there is instead of a text. */
  readonly note?: string;
}

export function shownHeaders(headers: IncomingHttpHeaders): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => SHOWN.test(name))
      .map(([name, value]) => [name, storable(String(value)).slice(0, MAX_HEADER_LENGTH)]),
  );
}

/** What a model gets of the body of an answer. HTML is reduced to its text if `readable` is true. */
export function answerText(
  { bytes, isCut, headers }: { bytes: Buffer; isCut: boolean; headers: IncomingHttpHeaders },
  readable: boolean,
): AnswerText {
  const contentType = storable(headers['content-type'] ?? '').slice(0, MAX_HEADER_LENGTH);
  const type = contentType.trim().toLowerCase();
  const isBinary = type === '' ? bytes.subarray(0, 8_192).includes(0) : !TEXTUAL.test(type);
  if (isBinary && bytes.length > 0)
    return { content_type: contentType, truncated: isCut, note: `The body is binary and has ${bytes.length} bytes.` };
  const whole = decoded(bytes, type);
  const { text, isCut: isTextCut } = cutToBytes(
    readable && HTML.test(type) ? readableText(whole) : whole,
    MAX_TEXT_BYTES,
  );
  return { content_type: contentType, text: storable(text), truncated: isCut || isTextCut };
}

function decoded(bytes: Buffer, type: string): string {
  const [, charset = 'utf-8'] = /charset="?([\w:.-]{1,40})/.exec(type) ?? [];
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString();
  }
}
