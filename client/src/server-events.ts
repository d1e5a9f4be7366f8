/** An event of a stream of server-sent events. */
export interface ServerEvent {
  /** Its name; `message` when it has none. */
  readonly type: string;
  readonly data: string;
  /** The last one that came, which an event may repeat. */
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
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // A line may have megabytes, and is put together once.
  let pieces: string[] = [];
  let type = 'message';
  let id: string | undefined;
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value: chunk } = await limited(reader.read());
      if (done) return;
      const [first, ...others] = decoder.decode(chunk, { stream: true }).split('\n');
      pieces.push(first!);
      for (const other of others) {
        const line = pieces.join('').replace(/\r$/, '');
        pieces = [other];
        const [, field, value] = /^(\w+): ?(.*)/s.exec(line) ?? [];
        if (field === 'event') type = value!;
        if (field === 'id') id = value;
        if (field === 'data') data.push(value!);
        if (line !== '') continue;
        if (data.length > 0) yield { type, data: data.join('\n'), id };
        type = 'message';
        data = [];
      }
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
