import { once } from 'node:events';
import type { Response } from 'express';

/** Proxies take a connection that stays silent for dead and close it. */
const PING_EVERY_MS = 15_000;
/** A reader that takes nothing for this long is taken for gone. It can resume after the last line that it got. */
const SLOWEST_READ_MS = 120_000;

/** The number of a line is the id of its event. A line without a number is not sent again when a caller resumes. */
interface LineView {
  readonly seq?: number | undefined;
  /** The name of the event; the default is `line`. */
  readonly type?: string | undefined;
}

/** An event whose name and number are beside its data, and not a part of it. */
export interface SentEvent {
  readonly seq: number;
  readonly type: string;
  readonly data: object;
}

/** Lines or events as callers see them, possibly none, or what follows the last one. */
export type SentNews =
  | { readonly lines: readonly LineView[] }
  | { readonly events: readonly SentEvent[] }
  | { readonly end: object; readonly seq?: number };

interface Format {
  readonly type: string;
  readonly opening: string;
  readonly line: (view: LineView) => string;
  readonly event: (event: SentEvent) => string;
  readonly end: (end: object, seq: number | undefined) => string;
  readonly ping: string;
}

const EVENTS: Format = {
  type: 'text/event-stream; charset=utf-8',
  opening: 'retry: 1000\n\n',
  line: (view) => eventText(view.seq, view.type ?? 'line', view),
  event: ({ seq, type, data }) => eventText(seq, type, data),
  end: (end, seq) => eventText(seq, 'end', end),
  ping: ': \n\n',
};

const LINES: Format = {
  type: 'application/x-ndjson; charset=utf-8',
  opening: '',
  line: (view) => `${JSON.stringify(view)}\n`,
  event: (event) => `${JSON.stringify(event)}\n`,
  end: (end) => `${JSON.stringify({ end })}\n`,
  // Readers of NDJSON skip empty lines.
  ping: '\n',
};

function eventText(seq: number | undefined, type: string, data: object): string {
  return `${seq === undefined ? '' : `id: ${seq}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Sends lines as they arrive, no faster than the caller reads them, and ends when they end. */
export async function sendLive(
  response: Response,
  format: 'events' | 'lines',
  news: AsyncIterable<SentNews>,
  signal: AbortSignal,
): Promise<void> {
  const { type, opening, ping, ...texts } = format === 'events' ? EVENTS : LINES;
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
      const text = textOf(each, texts);
      if (text === '' || response.write(text)) continue;
      await once(response, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(SLOWEST_READ_MS)]) });
    }
  } catch (error) {
    // A caller that is still connected sees the stream break off, and resumes after the last line it received.
    if (!signal.aborted) response.destroy(error as Error);
  } finally {
    clearInterval(pings);
    response.end();
  }
}

function textOf(news: SentNews, { line, event, end }: Pick<Format, 'line' | 'event' | 'end'>): string {
  if ('end' in news) return end(news.end, news.seq);
  return ('lines' in news ? news.lines.map(line) : news.events.map(event)).join('');
}
