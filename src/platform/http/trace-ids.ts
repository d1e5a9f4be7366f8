import type { IncomingHttpHeaders } from 'node:http';
import { RandomBytes } from '../ids/random-bytes.js';

const random = new RandomBytes();

const REQUEST_ID = /^[A-Za-z0-9._-]{1,64}$/;
/** The format of W3C Trace Context: version, trace id, parent id, flags. An id of zeros is invalid. */
const TRACEPARENT = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;

/** Returns the caller's own request id, and undefined when it sent none that is safe in a log line and a header. */
export function callersRequestId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers['x-request-id'];
  return typeof id === 'string' && REQUEST_ID.test(id) ? id : undefined;
}

/** Returns the trace that this request belongs to, or a new one when the caller names none. */
export function traceIdFrom(headers: IncomingHttpHeaders): string {
  const { traceparent } = headers;
  if (typeof traceparent === 'string' && !traceparent.startsWith('ff')) {
    const traceId = TRACEPARENT.exec(traceparent)?.[1];
    if (traceId !== undefined) return traceId;
  }
  const own = headers['x-trace-id'];
  if (typeof own === 'string' && TRACE_ID.test(own.toLowerCase())) return own.toLowerCase();
  const { bytes, start } = random.reserve(16);
  return bytes.toString('hex', start, start + 16);
}
