import { once } from 'node:events';
import type { Response } from 'express';

/** Proxies take a connection that stays silent for dead and close it. */
const PING_EVERY_MS = 15_000;

/** The number of a line is the id of its event. A line without a number is not sent again when a caller resumes. */
interface LineView {
  readonly seq?: number | undefined;
  /** The name of the event; the default is `line`. */
  readonly type?: string | undefined;
}

/** Lines as callers see them, possibly none, or what follows the last line. */
export type SentNews = { readonly lines: readonly LineView[] } | { readonly end: object };

interface Format {
  readonly type: string;
  readonly opening: string;
  readonly line: (view: LineView) => string;
  readonly end: (end: object) => string;
  readonly ping: string;
}

const EVENTS: Format = {
  type: 'text/event-stream; charset=utf-8',
  opening: 'retry: 1000\n\n',
  line: (view) =>
    `${view.seq === undefined ? '' : `id: ${view.seq}\n`}event: ${view.type ?? 'line'}\n` +
    `data: ${JSON.stringify(view)}\n\n`,
  end: (end) => `event: end\ndata: ${JSON.stringify(end)}\n\n`,
  ping: ': \n\n',
};

const LINES: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  opening: '',
  line: (view) => `${JSON.stringify(view)}\n`,
  end: (end) => `${JSON.stringify({ end })}\n`,
  // Readers of NDJSON skip empty lines.
  ping: '\n',
};

/** Sends lines as they arrive, no faster than the caller reads them, and ends when they end. */
export async function sendLive(
  response: Response,
  format: 'events' | 'lines',
  news: AsyncIterable<SentNews>,
  signal: AbortSignal,
): Promise<void> {
  const { type, opening, line, end, ping } = format === 'events' ? EVENTS : LINES;
  response.status(200).setHeader('Content-Type', type);
  response.setHeader('Cache-Control', 'no-store');
  // Some proxies would buffer the lines otherwise.
  response.setHeader('X-Accel-Buffering', 'no');
  response.flushHeaders();
  const pings = setInterval(() => {
    response.write(ping);
  }, PING_EVERY_MS);
  try {
    if (opening !== '') response.write(opening);
    for await (const each of news) {
      const text = 'end' in each ? end(each.end) : each.lines.map(line).join('');
      if (text !== '' && !response.write(text)) await once(response, 'drain', { signal });
    }
  } catch (error) {
    // A caller that is still connected sees the stream break off, and resumes after the last line it received.
    if (!signal.aborted) response.destroy(error as Error);
  } finally {
    clearInterval(pings);
    response.end();
  }
}
