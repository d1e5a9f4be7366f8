/** An event of a stream of server-sent events. */
export interface ServerEvent {
  /** Its name; `message` when it has none. */
  readonly type: string;
  readonly data: string;
  readonly id: string | undefined;
}

type Read = ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>;

/**
 * Yields the server-sent events of a body. An event that no empty line ends is dropped, as browsers do. The body is
 * cancelled when the caller stops before its end.
 *
 * @param limited bounds each read, if you want to notice that a connection has gone silent.
 */
export async function* serverEventsOf(
  body: ReadableStream<Uint8Array>,
  limited: (read: Read) => Read = (read) => read,
): AsyncGenerator<ServerEvent, void, undefined> {
  let [type, id, data]: [string, string | undefined, string[]] = ['', undefined, []];
  for await (const line of linesOf(body.getReader(), limited)) {
    if (line === '') {
      if (data.length > 0) yield { type: type || 'message', data: data.join('\n'), id };
      [type, id, data] = ['', undefined, []];
      continue;
    }
    const [, field, value = ''] = /^(\w+): ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') type = value;
    else if (field === 'id') id = value;
    else if (field === 'data') data.push(value);
  }
}

async function* linesOf(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limited: (read: Read) => Read,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  // A line may have megabytes, and is put together once.
  let pieces: string[] = [];
  try {
    for (let part = await limited(reader.read()); !part.done; part = await limited(reader.read())) {
      const [first = '', ...others] = decoder.decode(part.value, { stream: true }).split('\n');
      pieces.push(first);
      for (const other of others) {
        yield pieces.join('').replace(/\r$/, '');
        pieces = [other];
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
