interface Waiting<Request, Answer> {
  readonly request: Request;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Collects the requests of one turn of the event loop and sends them together. Under load one round trip then serves
 * many callers, and a single caller waits no longer than one turn of the loop.
 * @param send answers a batch in its order; its failure is that of each request.
 */
export function gatherer<Request, Answer>(
  maxBatch: number,
  send: (requests: readonly Request[]) => Promise<readonly Answer[]>,
): (request: Request) => Promise<Answer> {
  let waiting: Waiting<Request, Answer>[] = [];

  function flush(): void {
    const batch = waiting;
    waiting = [];
    for (let start = 0; start < batch.length; start += maxBatch) sendPart(batch.slice(start, start + maxBatch));
  }

  function sendPart(part: readonly Waiting<Request, Answer>[]): void {
    send(part.map(({ request }) => request)).then(
      (answers) => {
        part.forEach(({ resolve }, index) => {
          resolve(answers[index]!);
        });
      },
      (error: unknown) => {
        for (const { reject } of part) reject(error);
      },
    );
  }

  return (request) =>
    new Promise((resolve, reject) => {
      if (waiting.push({ request, resolve, reject }) === 1) setImmediate(flush);
    });
}
