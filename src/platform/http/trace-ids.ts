import type { IncomingHttpHeaders } from 'node:http';
import { RandomBytes } from '../ids/random-bytes.js';

const random = new RandomBytes();

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** The format of W3C Trace Context: version, trace id, parent id, flags. An id of zeros is invalid. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

/** Returns the caller's own request id, and undefined when it sent none that is safe in a log line and a header. */
export function callersRequestId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : undefined;
}

export interface TraceParent {
  readonly traceId: string;
  /** The caller's span. */
  readonly spanId: string;
  /** True when the caller records its span. */
  readonly isSampled: boolean;
}

/** Returns what the caller says about its trace in `traceparent`, or undefined when it says nothing valid. */
export function traceParentOf({ traceparent }: IncomingHttpHeaders): TraceParent | undefined {
  if (typeof traceparent !== 'string' || traceparent.startsWith('ff')) return undefined;
  const found = TRACEPARENT.exec(traceparent);
  if (found === null) return undefined;
  return { traceId: found[1]!, spanId: found[2]!, isSampled: (Number.parseInt(found[3]!, 16) & 1) === 1 };
}

/** Returns the trace that this request belongs to, or a new one when the caller names none. */
export function traceIdFrom(headers: IncomingHttpHeaders): string {
  const parent = traceParentOf(headers);
  if (parent !== undefined) return parent.traceId;
  const own = headers['x-trace-id'];
  if (typeof own === 'string' && TRACE_ID.test(own.toLowerCase())) return own.toLowerCase();
  return newTraceId();
}

export function newTraceId(): string {
  const { bytes, start } = random.reserve(16);
  return bytes.toString('hex', start, start + 16);
}
