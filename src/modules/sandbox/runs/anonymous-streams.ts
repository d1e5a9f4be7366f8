import { Injectable } from '@nestjs/common';
import type { ClientAddress } from '../../limits/client-address.js';
import { OpenExecutionStreams } from '../output/open-execution-streams.js';
import { type ExecutionNews, OutputFollower } from '../output/output-follower.js';
import { AnonymousSandboxService } from './anonymous-sandbox.service.js';
import type { AnonymousExecutionInput, Execution } from './sandbox.service.js';

/** One address may have as many streams open: of runs, and of ended runs whose output it reads slowly. */
const STREAMS_OF_ADDRESS = 4;

export type AnonymousNews = ExecutionNews<Execution & { readonly remaining: number }>;

/** Streams the output of anonymous runs. They cannot be resumed, because there is nobody to whom they belong. */
@Injectable()
export class AnonymousStreams {
  constructor(
    private readonly sandbox: AnonymousSandboxService,
    private readonly follower: OutputFollower,
    private readonly streams: OpenExecutionStreams,
  ) {}

  /**
   * Runs code and streams its output. The stream must be read to its end, or its `signal` aborted, which ends the run.
   *
   * @throws as {@link AnonymousSandboxService.begin}. Later errors are in the stream.
   */
  run(
    input: AnonymousExecutionInput,
    address: ClientAddress,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<AnonymousNews>> {
    return this.streams.open(address.network, STREAMS_OF_ADDRESS, async () => {
      const { id, ended, remaining } = await this.sandbox.begin({ ...input, isFollowed: true }, address, signal);
      const counted = ended.then((execution) => ({ ...execution, remaining }));
      counted.catch(() => undefined);
      return this.follower.follow({ id, after: 0, ended: counted, signal });
    });
  }
}
