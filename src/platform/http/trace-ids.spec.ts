import fc from 'fast-check';
import { callersRequestId, traceIdFrom, traceParentOf } from './trace-ids.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

describe('callersRequestId', () => {
  it.each(['abc', 'A.b_c-9', 'x'.repeat(64)])('keeps %s', (id) => {
    expect(callersRequestId({ 'x-request-id': id })).toBe(id);
  });

  it.each(['', 'x'.repeat(65), 'a b', 'a\nb', 'ä', '"', '<script>'])('does not repeat %j', (id) => {
    expect(callersRequestId({ 'x-request-id': id })).toBeUndefined();
  });
});

describe('traceIdFrom', () => {
  it('prefers a valid traceparent, then X-Trace-Id', () => {
    expect(traceIdFrom({ traceparent: `00-${TRACE}-00f067aa0ba902b7-01`, 'x-trace-id': 'f'.repeat(32) })).toBe(TRACE);
    expect(traceIdFrom({ 'x-trace-id': TRACE.toUpperCase() })).toBe(TRACE);
  });

  it.each([
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `ff-${TRACE}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    'nonsense',
  ])('does not follow the invalid traceparent %s', (traceparent) => {
    expect(traceIdFrom({ traceparent })).not.toBe(TRACE);
  });

  it('always returns 32 hex digits, whatever it receives', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (traceparent, own) => {
        expect(traceIdFrom({ traceparent, 'x-trace-id': own })).toMatch(/^[0-9a-f]{32}$/);
      }),
    );
  });
});

describe('traceParentOf', () => {
  it.each([
    ['00', false],
    ['01', true],
    ['02', false],
    ['03', true],
    ['ff', true],
  ])('reads from the flags %s whether the caller records', (flags, isSampled) => {
    expect(traceParentOf({ traceparent: `00-${TRACE}-00f067aa0ba902b7-${flags}` })).toEqual({
      traceId: TRACE,
      spanId: '00f067aa0ba902b7',
      isSampled,
    });
  });

  it('knows nothing without the header', () => {
    expect(traceParentOf({ 'x-trace-id': TRACE })).toBeUndefined();
  });
});
