import type { IncomingMessage } from 'node:http';
import { FOR_OPERATORS_PROXY, withoutDomain } from '../site/unsafe-headers.js';
import { hopByHopTest } from './hop-by-hop.js';
import { MAX_HEADER_LINES } from './proxy-limits.js';

/** The checked head of an app's answer. Node's server accepts all of it without throwing. */
export interface AnswerHead {
  readonly status: number;
  readonly reason: string;
  /** Names and values alternate. */
  readonly headers: string[];
}

const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
/** RFC 9110 (section 5.5) allows no control characters. Node's parser refuses them in values, but not in reasons. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const NEVER_PASSED = new Set(FOR_OPERATORS_PROXY);

/** Returns undefined for an answer that cannot be passed on. */
export function headOfAnswer(answer: IncomingMessage): AnswerHead | undefined {
  const { statusCode: status = 0, statusMessage: reason = '' } = answer;
  if (status < 200 || status > 599 || !VALUE.test(reason) || !hasKnownFraming(answer)) return undefined;
  const headers = headersOfAnswer(answer);
  if (headers === undefined) return undefined;
  return { status, reason, headers: status === 204 ? without(headers, 'content-length') : headers };
}

/** Returns the headers for the visitor, or undefined when one of them cannot be sent. */
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

/** A transfer coding that the proxy does not decode would reach the visitor without the header that names it. */
function hasKnownFraming({ httpVersionMajor, headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return httpVersionMajor === 1 && (coding === undefined || coding.toLowerCase() === 'chunked');
}

function without(headers: readonly string[], unwanted: string): string[] {
  return headers.filter((_, index) => headers[index - (index % 2)]!.toLowerCase() !== unwanted);
}
