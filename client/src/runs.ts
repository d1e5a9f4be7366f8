import type {
  AgentCallOutcome,
  AgentRun,
  AgentRunAnswer,
  AgentRunDelta,
  AgentRunEvent,
  AgentRunsQuery,
  AgentRunState,
  AgentRunStep,
  AgentRunTranscript,
  RunBudget,
} from './agent-types.js';
import { methodsOf } from './methods.js';
import type { Listing, ListQuery } from './page.js';
import { PAUSE_MS, sleep } from './sleep.js';
import type { RequestOptions, Transport } from './transport.js';

export interface RunEventOptions extends RequestOptions {
  /** Only the events after this `seq`. By default, it begins with the first. */
  readonly after?: number | undefined;
  /** Set it to false for the events so far. By default, events arrive until the run ends. */
  readonly follow?: boolean | undefined;
  /** Called with true when the stream is open, and with false when its connection broke and is about to resume. */
  readonly onConnection?: ((isOpen: boolean) => void) | undefined;
}

/** Runs of agents. `agents.run` starts one. Reads need `agents:read`, and writes need `agents:run`. */
export interface Runs extends RunCalls {
  /**
   * Yields what happens in a run, and the text of the model as it is written, until the run ends. If the connection
   * breaks, it resumes after the last event. Returns the final state.
   *
   * @throws {NotFoundError} `run_not_found`.
   */
  events(
    runId: string,
    options?: RunEventOptions,
  ): AsyncGenerator<AgentRunEvent | AgentRunDelta, AgentRunState, undefined>;

  /** Waits until the run has ended, and resolves to it. A run that needs a decision can wait for days. */
  wait(runId: string, options?: RequestOptions): Promise<AgentRun>;

  /** Returns the transcript as Markdown. */
  markdown(runId: string, options?: RequestOptions): Promise<string>;
}

interface RunCalls {
  /** Lists runs, newest first. */
  list(query?: AgentRunsQuery, options?: RequestOptions): Listing<AgentRun>;

  /** @throws {NotFoundError} `run_not_found`. */
  get(runId: string, options?: RequestOptions): Promise<AgentRun>;

  /** Lists the steps, oldest first. */
  steps(runId: string, query?: ListQuery, options?: RequestOptions): Listing<AgentRunStep>;
  transcript(runId: string, options?: RequestOptions): Promise<AgentRunTranscript>;

  /** Answers a question of the run, which then continues. @throws {ConflictError} `run_already_over`. */
  answer(runId: string, answer: AgentRunAnswer, options?: RequestOptions): Promise<AgentRun>;

  /** Says what happened to a call whose outcome is unknown. The run then continues. */
  settle(runId: string, outcome: AgentCallOutcome, options?: RequestOptions): Promise<AgentRun>;

  /** Cancels the run and all runs below it. @throws {ConflictError} `run_already_over`. */
  cancel(runId: string, options?: RequestOptions): Promise<AgentRun>;

  /** Continues a run whose budget is full, with a higher one. @throws {ConflictError} `run_already_over`. */
  resume(
    runId: string,
    resumption?: { readonly budget?: Partial<RunBudget> },
    options?: RequestOptions,
  ): Promise<AgentRun>;
}

export function runsOf(transport: Transport): Runs {
  const calls = methodsOf<RunCalls>(transport, {
    list: 'list runs',
    get: 'get runs/:',
    steps: 'list runs/:/steps',
    transcript: 'get runs/:/transcript',
    answer: 'post runs/:/messages',
    settle: 'post runs/:/messages',
    cancel: 'post runs/:/cancel -',
    resume: 'post runs/:/resume',
  });
  const pathOf = (runId: string, part: string): string => `/api/v1/runs/${encodeURIComponent(runId)}/${part}`;
  async function* events(
    runId: string,
    { after = 0, follow = true, onConnection, ...options }: RunEventOptions = {},
  ): ReturnType<Runs['events']> {
    const path = `${pathOf(runId, 'events')}?follow=${follow}`;
    return (yield* transport.follow<AgentRunEvent | AgentRunDelta, Pick<AgentRun, 'state'>>(
      path,
      after,
      options,
      onConnection,
    )).state;
  }
  return {
    ...calls,
    events,
    async wait(runId, options = {}) {
      for (;;) {
        for (const news = events(runId, options); (await news.next()).done !== true;);
        const run = await calls.get(runId, options);
        if (run.ended_at != null) return run;
        await sleep(PAUSE_MS, options.signal);
      }
    },
    async markdown(runId, options) {
      const headers = { accept: 'text/markdown' };
      const opened = await transport.open({ method: 'GET', path: pathOf(runId, 'transcript'), headers }, options);
      let text = '';
      for await (const line of opened.lines()) text += `${line}\n`;
      return text;
    },
  };
}
