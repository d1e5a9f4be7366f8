/** An event of a stream of server-sent events. Ids and times to wait are left out: nothing here resumes a stream. */
export interface ServerEvent {
  /** Its name; `message` when it has none. */
  readonly type: string;
  readonly data: string;
}

/** Reads server-sent events. An event that is not ended by an empty line is dropped, as browsers do. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  let data: string[] = [];
  let type = 'message';
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { type, data: data.join('\n') };
      data = [];
      type = 'message';
    } else if (line.startsWith('event:')) {
      type = valueOf(line);
    } else if (line.startsWith('data:')) {
      data.push(valueOf(line));
    }
  }
}

const valueOf = (line: string): string => line.slice(line.indexOf(':') + 1).replace(/^ /, '');

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  for await (const chunk of body) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    pieces.push(first);
    for (const other of others) {
      yield withoutReturn(pieces.join(''));
      pieces = [other];
    }
  }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
