import type { IncomingMessage } from 'node:http';
import { FOR_OPERATORS_PROXY, withoutDomain } from '../site/unsafe-headers.js';
import { hopByHopTest } from './hop-by-hop.js';
import { MAX_HEADER_LINES } from './proxy-limits.js';

/** What an app answered, checked: Node's server takes all of it without throwing. */
export interface AnswerHead {
  readonly status: number;
  readonly reason: string;
  /** Names and values in turn. */
  readonly headers: string[];
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/**
 * Anything but control characters, as RFC 9110 (section 5.5) has it. Node's parser refuses them in values, not in
 * reasons.
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const NEVER_PASSED = new Set(FOR_OPERATORS_PROXY);

/** Undefined for an answer that cannot be passed on. */
export function headOfAnswer(answer: IncomingMessage): AnswerHead | undefined {
  const { statusCode: status = 0, statusMessage: reason = '' } = answer;
  if (status < 200 || status > 599 || !VALUE.test(reason) || !hasKnownFraming(answer)) return undefined;
  const headers = headersOfAnswer(answer);
  if (headers === undefined) return undefined;
  return { status, reason, headers: status === 204 ? without(headers, 'content-length') : headers };
}

/** The headers that are for the visitor; undefined where one of them could not be sent. */
export function headersOfAnswer({ rawHeaders, headers: { connection } }: IncomingMessage): string[] | undefined {
  if (rawHeaders.length > 2 * MAX_HEADER_LINES) return undefined;
  const isHopByHop = hopByHopTest(connection);
  const passed: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    const value = rawHeaders[index + 1]!;
    if (!NAME.test(name) || !VALUE.test(value)) return undefined;
    const lowerCase = name.toLowerCase();
    if (isHopByHop(lowerCase) || NEVER_PASSED.has(lowerCase)) continue;
    passed.push(name, lowerCase === 'set-cookie' ? withoutDomain(value) : value);
  }
  return passed;
}

/** A coding that the proxy does not undo would reach the visitor without the header that names it. */
function hasKnownFraming({ httpVersionMajor, headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return httpVersionMajor === 1 && (coding === undefined || coding.toLowerCase() === 'chunked');
}

function without(headers: readonly string[], unwanted: string): string[] {
  return headers.filter((_, index) => headers[index - (index % 2)]!.toLowerCase() !== unwanted);
}
