import type { Call, Run } from '@service/client';
import { serverEventsOf } from '../../../client/src/server-events';
import { request } from '../api';
import { NO_OUTPUT, type Output } from './run-output';

/** What a screen shows of an unfinished run: drawing all of a megabyte again and again would hold it up. */
const MOST_SHOWN = 50_000;
/** Pieces that arrive together are shown together. */
const GATHER_MS = 50;

interface Listeners {
  readonly onRun?: (run: Run) => void;
  readonly onOutput: (output: Output) => void;
}

/**
 * Makes a call that answers with the events of a run, and returns the run once it has ended.
 *
 * @throws {ServiceError} when the service refuses the call.
 * @throws {Error} when the run did not start, was lost, or the connection broke.
 */
export async function streamRun(
  call: Call,
  org: string,
  signal: AbortSignal,
  { onRun, onOutput }: Listeners,
): Promise<Run> {
  const headers = { accept: 'text/event-stream' };
  // What was shown cannot be taken back, so it is asked for once.
  const options = { organization: org, signal, maxRetries: 0 };
  const { body } = await request({ ...call, headers, isStream: true }, options);
  let output = NO_OUTPUT;
  let gathering = 0;
  const show = (): void => {
    gathering = 0;
    onOutput(output);
  };
  try {
    for await (const { type, data: text } of serverEventsOf(body!)) {
      const data = JSON.parse(text) as unknown;
      if (type === 'execution') onRun?.(data as Run);
      else if (type === 'result') return data as Run;
      else if (type === 'error') throw new Error(messageIn(data));
      else if (type === 'stdout' || type === 'stderr') {
        const shown = output[type] + (data as { readonly text: string }).text;
        output = { ...output, [type]: shown.slice(-MOST_SHOWN) };
        gathering ||= window.setTimeout(show, GATHER_MS);
      }
    }
  } finally {
    clearTimeout(gathering);
  }
  throw new Error('The connection broke off before the result.');
}

const messageIn = (data: unknown): string =>
  (data as { readonly error?: { readonly message?: string } }).error?.message ?? 'The run was lost.';
