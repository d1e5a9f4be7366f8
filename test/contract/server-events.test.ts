import { type ServerEvent, serverEventsOf } from '../../client/src/server-events.js';

const STREAM =
  ': hello\n\nevent: stdout\nid: 7\ndata: {"text":"ä😀"}\n\ndata: one\r\ndata:two\r\n\r\nevent: no data\n\n' +
  'retry: 5\ndata\n\nevent: end\ndata: unfinished\n';
const EVENTS = [
  { type: 'stdout', id: '7', data: '{"text":"ä😀"}' },
  { type: 'message', id: '7', data: 'one\ntwo' },
];

/** A body that arrives in pieces of this size, and whether its reader has cancelled it. */
function bodyOf(text: string, size: number): { body: ReadableStream<Uint8Array>; seen: { isCancelled: boolean } } {
  const seen = { isCancelled: false };
  const bytes = Buffer.from(text);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (at >= bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, (at += size)));
    },
    cancel: () => {
      seen.isCancelled = true;
    },
  });
  return { body, seen };
}

async function all(events: AsyncIterable<ServerEvent>): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

describe('server-sent events', () => {
  it.each([1, 2, 3, 7, 1_000])('are the same when they arrive in pieces of %i bytes', async (size) => {
    expect(await all(serverEventsOf(bodyOf(STREAM, size).body))).toEqual(EVENTS);
  });

  it('are no longer read once their reader has left', async () => {
    const { body, seen } = bodyOf(STREAM.repeat(100), 10);
    for await (const event of serverEventsOf(body)) if (event.type === 'stdout') break;
    expect(seen.isCancelled).toBe(true);
  });

  it('end with the error of what limits a read', async () => {
    const { body, seen } = bodyOf(STREAM, 10);
    const late = serverEventsOf(body, () => Promise.reject(new Error('silent')));
    await expect(all(late)).rejects.toThrow('silent');
    expect(seen.isCancelled).toBe(true);
  });
});
