import { Injectable } from '@nestjs/common';
import type { Call } from '../../auth/caller.js';
import { PLANS } from '../../plans/plan.js';
import { OpenExecutionStreams } from '../output/open-execution-streams.js';
import { type ExecutionNews, OutputFollower } from '../output/output-follower.js';
import type { QueuedExecution, SandboxExecution } from '../persistence/sandbox-execution.entity.js';
import type { CreateOrgExecutionInput } from './execution-admission.service.js';
import { EndedExecutions } from './ended-executions.js';
import { type AwaitedExecution, ExecutionsService } from './executions.service.js';

/** Streams that an organization may have open beside one for each execution at once. */
const FURTHER_STREAMS = 8;

/** The execution first, unless the caller resumes, and then what happens with it. */
export type OrgExecutionNews = ExecutionNews<SandboxExecution> | { readonly execution: Followable };

type Followable = QueuedExecution | SandboxExecution;

/** Streams the output of executions of organizations. A stream must be read to its end, or its signal aborted. */
@Injectable()
export class ExecutionStreams {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly ended: EndedExecutions,
    private readonly follower: OutputFollower,
    private readonly streams: OpenExecutionStreams,
  ) {}

  /**
   * Runs code and streams its output. An aborted `signal` ends the run if the caller waits for it.
   *
   * @throws as {@link ExecutionsService.run}, until the run is admitted. Later errors are in the stream.
   */
  run(
    call: Call,
    { input, wait }: { readonly input: CreateOrgExecutionInput; readonly wait: boolean },
    signal: AbortSignal,
  ): Promise<AsyncGenerator<OrgExecutionNews>> {
    return this.streams.open(call.org.id, placesOf(call), async () => {
      const followed = { ...input, isFollowed: true };
      if (wait) return this.follow(await this.executions.begin(call, followed, signal), undefined, signal);
      return this.followStarted(await this.executions.start(call, followed), signal);
    });
  }

  /**
   * Streams the output of an execution that `begin` admits.
   *
   * @throws what `begin` throws. Later errors are in the stream.
   */
  runElsewhere(
    call: Call,
    begin: () => Promise<AwaitedExecution>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<OrgExecutionNews>> {
    return this.streams.open(call.org.id, placesOf(call), async () => this.follow(await begin(), undefined, signal));
  }

  /**
   * Streams the output of an execution that `start` admits, and that goes on when `signal` is aborted.
   *
   * @throws what `start` throws. Later errors are in the stream.
   */
  startElsewhere(
    call: Call,
    start: () => Promise<QueuedExecution>,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<OrgExecutionNews>> {
    return this.streams.open(call.org.id, placesOf(call), async () => this.followStarted(await start(), signal));
  }

  /**
   * Streams the output of an execution after the piece with this number; undefined for all that is kept.
   *
   * @throws {TooManyStreams} `concurrency_limit_exceeded`
   */
  resume(
    call: Call,
    { execution, after }: { readonly execution: SandboxExecution; readonly after: number | undefined },
    signal: AbortSignal,
  ): Promise<AsyncGenerator<OrgExecutionNews>> {
    return this.streams.open(execution.orgId, placesOf(call), () => {
      const ended = this.ended.wait(execution.id, signal);
      return Promise.resolve(this.follow({ execution, ended }, after, signal));
    });
  }

  private followStarted(execution: QueuedExecution, signal: AbortSignal): AsyncGenerator<OrgExecutionNews> {
    return this.follow({ execution, ended: this.ended.wait(execution.id, signal) }, undefined, signal);
  }

  private async *follow(
    { execution, ended }: Omit<AwaitedExecution, 'execution'> & { readonly execution: Followable },
    after: number | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<OrgExecutionNews> {
    // It may be rejected before it is awaited.
    ended.catch(() => undefined);
    if (after === undefined) yield { execution };
    yield* this.follower.follow({ id: execution.id, after: after ?? 0, ended, signal });
  }
}

const placesOf = ({ org }: Call): number => PLANS[org.plan].sandbox.concurrency + FURTHER_STREAMS;
