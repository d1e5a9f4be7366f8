import type { Response } from 'express';
import type { EventNews } from '../streams/event-follower.js';
import { EventView } from './events.dto.js';

/** Proxies take a connection that stays silent for dead and close it. */
const PING_EVERY_MS = 15_000;
/** A reader that takes nothing for this long is dropped. It can resume after the last event that it got. */
const SLOWEST_READ_MS = 10_000;

interface Format {
  readonly type: string;
  readonly opening: string;
  readonly ping: string;
  readonly event: (view: EventView) => string;
  readonly end: (end: object) => string;
}

const EVENTS: Format = {
  type: 'text/event-stream; charset=utf-8',
  opening: 'retry: 1000\n\n',
  ping: ': \n\n',
  event: (view) => `id: ${view.seq}\ndata: ${JSON.stringify(view)}\n\n`,
  end: () => '',
};

const LINES: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  opening: '\n',
  ping: '\n',
  event: (view) => `${JSON.stringify(view)}\n`,
  end: (end) => `${JSON.stringify({ end })}\n`,
};

/** Sends events as they happen, no faster than the caller reads them, until the stream ends or the caller leaves. */
export async function sendEvents(
  response: Response,
  format: 'events' | 'lines',
  news: AsyncIterable<EventNews>,
  signal: AbortSignal,
): Promise<void> {
  const { type, opening, ping, event, end } = format === 'events' ? EVENTS : LINES;
  response.status(200).setHeader('Content-Type', type);
  response.setHeader('Cache-Control', 'no-store');
  // Some proxies would buffer the events otherwise.
  response.setHeader('X-Accel-Buffering', 'no');
  response.flushHeaders();
  const pings = setInterval(() => {
    if (!response.writableNeedDrain) response.write(ping);
  }, PING_EVERY_MS);
  try {
    response.write(opening);
    for await (const each of news) {
      const text = 'end' in each ? end(each.end) : each.events.map((one) => event(EventView.of(one))).join('');
      if (text !== '' && !response.write(text)) await drained(response);
    }
  } catch (error) {
    // A caller that is still connected sees the stream break off, and resumes after the last event that it got.
    if (!signal.aborted) response.destroy(error as Error);
  } finally {
    clearInterval(pings);
    response.end();
  }
}

/** @throws {Error} when the reader takes too long or leaves. */
function drained(response: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      clearTimeout(timer);
      response.off('drain', ready).off('close', left);
      if (error === undefined) resolve();
      else reject(error);
    };
    const ready = (): void => {
      settle();
    };
    const left = (): void => {
      settle(new Error('The reader of events left.'));
    };
    const timer = setTimeout(() => {
      settle(new Error('The reader of events was too slow.'));
    }, SLOWEST_READ_MS);
    response.once('drain', ready).once('close', left);
  });
}
