import { Injectable } from '@nestjs/common';
import { ArtifactReceivers } from '../artifacts/artifact-receivers.js';
import type { ArtifactSink } from '../domain/artifacts.js';
import { type OutputListener, type SandboxOutcome, SandboxRuntime } from '../domain/sandbox-runtime.js';
import type { FinishedExecution } from '../executions/execution-ends.js';
import type { SandboxPayload } from '../jobs/sandbox.job.js';
import { RunNetworks } from './run-networks.js';

/** Storing artifacts may take as long as the run may last, and this. The caller waits a little longer than that. */
const STORE_WITHIN_MS = 1_000;

interface RunContext {
  readonly signal: AbortSignal;
  readonly onOutput?: OutputListener | undefined;
  /** The directory of the packages that the run may import. */
  readonly packages?: string | undefined;
}

/** Runs code in the sandbox of this worker, with the network and the storage of artifacts that the run needs. */
@Injectable()
export class ExecutionRuns {
  constructor(
    private readonly runtime: SandboxRuntime,
    private readonly artifacts: ArtifactReceivers,
    private readonly networks: RunNetworks,
  ) {}

  /** Artifacts are stored while the program sends them. */
  async run(job: SandboxPayload, context: RunContext): Promise<FinishedExecution> {
    const { executionId, recordedFor, limits } = job;
    if (limits.artifactBytes === undefined || recordedFor === undefined)
      return { outcome: await this.runWithNetwork(job, context), artifacts: null };
    const owner = { executionId, orgId: recordedFor };
    const receiver = this.artifacts.open(owner, limits.timeoutMs + STORE_WITHIN_MS);
    try {
      const { artifactErrors = [], ...outcome } = await this.runWithNetwork(job, context, receiver);
      const { artifacts, errors } = await receiver.end();
      return { outcome, artifacts: { kept: artifacts, errors: [...artifactErrors, ...errors] } };
    } catch (error) {
      await receiver.end();
      throw error;
    }
  }

  private async runWithNetwork(
    job: SandboxPayload,
    { signal, onOutput, packages: directory }: RunContext,
    artifacts?: ArtifactSink,
  ): Promise<SandboxOutcome> {
    const { executionId, language, code, stdin, files = [], options = {}, limits } = job;
    const packages = directory === undefined ? {} : { packages: { directory } };
    const run = { id: executionId, language, code, stdin, files, options, ...packages, limits };
    if (options.allowedHosts === undefined) return this.runtime.run(run, signal, onOutput, artifacts);
    const network = await this.networks.open({ execution_id: executionId }, options.allowedHosts);
    try {
      return await this.runtime.run({ ...run, egressDirectory: network.directory }, signal, onOutput, artifacts);
    } finally {
      await network.close();
    }
  }
}
