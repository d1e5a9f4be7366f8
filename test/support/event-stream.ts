import { type CallOptions, eventually, randomAddress, type TestApp } from './test-app.js';

export interface ReceivedEvent {
  readonly id: number;
  readonly type: string;

  readonly data: any;
}

interface Asked extends CallOptions {
  readonly method?: 'GET' | 'POST';
  readonly body?: object;
  readonly lastEventId?: number;
}

/** A stream of server-sent events that arrives while the test goes on. */
export class EventStream {
  readonly events: ReceivedEvent[] = [];
  /** Settles when the response has ended; rejects when it broke off. */
  readonly ended: Promise<void>;
  private text = '';

  private constructor(
    readonly response: Response,
    private readonly leaving: AbortController,
  ) {
    this.ended = this.read();
    this.ended.catch(() => undefined);
  }

  static async open(app: TestApp, path: string, asked: Asked = {}): Promise<EventStream> {
    const { method = 'GET', headers, body, lastEventId, from = randomAddress() } = asked;
    const leaving = new AbortController();
    const response = await fetch(app.url + path, {
      method,
      headers: {
        accept: 'text/event-stream',
        'x-forwarded-for': from,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(lastEventId === undefined ? {} : { 'last-event-id': `${lastEventId}` }),
        ...headers,
      },
      signal: leaving.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return new EventStream(response, leaving);
  }

  /** All of the output that has come on a stream of the program. */
  output(type: 'stdout' | 'stderr'): string {
    return this.events.flatMap((event) => (event.type === type ? [event.data.text as string] : [])).join('');
  }

  get types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }

  /** The data of the one event of this type. */
  data(type: string): any {
    return this.events.find((event) => event.type === type)?.data;
  }

  async has(type: string): Promise<void> {
    await eventually(() => this.types.includes(type), `an event ${type}`, 30_000);
  }

  leave(): void {
    this.leaving.abort();
  }

  private async read(): Promise<void> {
    for await (const part of this.response.body!.pipeThrough(new TextDecoderStream())) {
      const blocks = (this.text + part).split('\n\n');
      this.text = blocks.pop()!;
      this.events.push(...blocks.flatMap(eventOf));
    }
  }
}

/** Comments and times to wait are no events. */
function eventOf(block: string): ReceivedEvent[] {
  const fields = Object.fromEntries(block.split('\n').map((line) => /^([a-z]*): ?(.*)$/s.exec(line)!.slice(1)));
  if (fields['event'] === undefined) return [];
  return [{ id: Number(fields['id']), type: fields['event'], data: JSON.parse(fields['data']) }];
}
