import type { Execution, Run } from '@service/client';
import type { ExecutionEvent } from '@service/client/sandbox';

/** What ends a command that its person, or the machine, no longer wants. */
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Prints what a program prints while it runs, and returns the result. */
export async function printed<R extends Run | Execution>(events: AsyncGenerator<ExecutionEvent<R>, R>): Promise<R> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
    const event = next.value;
    if (event.type === 'stdout' || event.type === 'stderr') process[event.type].write(event.text);
  }
}

/**
 * Does work whose signal aborts when the command receives a signal. Then the work can undo what it has begun, and the
 * command ends as it would have ended at once. A second signal does not wait for that.
 */
export async function endedBySignals<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController();
  const leave = (signal: NodeJS.Signals): void => {
    stopListening();
    leaving.abort(signal);
  };
  const stopListening = (): void => {
    for (const signal of ENDS) process.off(signal, leave);
  };
  for (const signal of ENDS) process.on(signal, leave);
  try {
    return await work(leaving.signal);
  } finally {
    stopListening();
    if (leaving.signal.aborted) process.kill(process.pid, leaving.signal.reason as NodeJS.Signals);
  }
}
