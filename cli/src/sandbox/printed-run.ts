import type { Execution, Run } from '@service/client';
import type { ExecutionEvent } from '@service/client/sandbox';
import { EXIT, isUnread } from '../failures.js';

/** What ends a command that its person, or the machine, no longer wants. */
const ENDS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let isUndoable = false;

/** Whether this command has work that it undoes before it ends, also when its output cannot be written. */
export const hasToUndo = (): boolean => isUndoable;

type Events<R extends Run | Execution> = AsyncGenerator<ExecutionEvent<R>, R>;

/** Prints what a program prints while it runs, and returns the result. */
export const printed = <R extends Run | Execution>(events: Events<R>): Promise<R> =>
  ended(events, (event) => {
    if (event.type === 'stdout' || event.type === 'stderr') process[event.type].write(event.text);
  });

/** Waits for the end of a run, and returns the result. */
export async function ended<R extends Run | Execution>(
  events: Events<R>,
  onEvent?: (event: ExecutionEvent<R>) => void,
): Promise<R> {
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
    onEvent?.(next.value);
  }
}

/**
 * Does work whose signal aborts when the command receives a signal, or its output cannot be written. Then the work can
 * undo what it has begun, and the command ends as it would have ended at once. A second signal does not wait for that.
 */
export async function undoneAtEnd<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const leaving = new AbortController();
  const leave = (signal: NodeJS.Signals): void => {
    stopListening();
    leaving.abort(signal);
  };
  const stopListening = (): void => {
    for (const signal of ENDS) process.off(signal, leave);
  };
  // It comes again with all that is written meanwhile. The first reason counts.
  const unwritten = (error: Error): void => {
    leaving.abort(error);
  };
  const outputs = [process.stdout, process.stderr];
  for (const signal of ENDS) process.on(signal, leave);
  for (const output of outputs) output.on('error', unwritten);
  isUndoable = true;
  try {
    return await work(leaving.signal);
  } finally {
    isUndoable = false;
    stopListening();
    for (const output of outputs) output.off('error', unwritten);
    const reason: unknown = leaving.signal.reason;
    if (typeof reason === 'string') process.kill(process.pid, reason);
    if (isUnread(reason)) process.exit(EXIT.ok);
  }
}
