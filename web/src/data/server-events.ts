/** An event of a stream of the service. */
interface ServerEvent {
  readonly type: string;
  /** The caller knows the shape by the type. */
  readonly data: unknown;
}

/** Reads the events of this service, which sends each with its name and one line of data. It is there with that line. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest: string[] = [];
  let type = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const [first = '', ...others] = decoder.decode(part.value, { stream: true }).split('\n');
      rest.push(first);
      for (const other of others) {
        const line = rest.join('');
        rest = [other];
        // The service sends each event with its name and one line of data.
        if (line.startsWith('event:')) type = line.slice(6).trim();
        else if (line.startsWith('data:')) yield { type, data: JSON.parse(line.slice(5)) as unknown };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
