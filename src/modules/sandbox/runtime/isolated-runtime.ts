import { type IsolatedProcess } from '../../../platform/isolation/isolated-process.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import { readReport } from '../languages/report.js';
import { type Language, type SandboxOutcome, type SandboxReadiness, type SandboxRun, SandboxRuntime } from '../sandbox-runtime.js';
import { Interpreters } from './interpreters.js';
import { outcomeOf } from './outcome.js';
import { probeSandbox, type SandboxTools } from './probe.js';

const NOT_PROBED: SandboxReadiness = { available: false, missing: ['the start-up probe, which has not run yet'] };

/** Runs code in a sandbox of its own that is started for it, used once and destroyed. */
export class IsolatedRuntime extends SandboxRuntime {
  private readonly interpreters: Interpreters;
  private tools: SandboxTools | null = null;
  private lastReadiness: SandboxReadiness = NOT_PROBED;

  constructor(private readonly isolation: Isolation) {
    super();
    this.interpreters = new Interpreters(isolation);
  }

  get readiness(): SandboxReadiness {
    return this.lastReadiness;
  }

  async probe(): Promise<SandboxReadiness> {
    const found = await probeSandbox(this.isolation, this.interpreters);
    this.tools = found.tools;
    this.lastReadiness = found.readiness;
    return found.readiness;
  }

  async run(run: SandboxRun, signal?: AbortSignal): Promise<SandboxOutcome> {
    const tools = this.tools;
    if (tools === null || !this.lastReadiness.available) throw new Error('The sandbox is not available.');
    signal?.throwIfAborted();

    const sandbox = await this.start(run.language, run.limits.memoryBytes, run.limits.timeoutMs);
    const ended = await sandbox.run(
      { input: Buffer.from(run.code), stdin: Buffer.from(run.stdin) },
      { wallMs: run.limits.timeoutMs, cpuMs: run.limits.timeoutMs, outputBytes: run.limits.outputBytes },
      signal,
    );
    return outcomeOf(ended, readReport(ended.report), tools.runtimes[run.language]);
  }

  async close(): Promise<void> {
    await this.isolation.close();
  }

  private async start(language: Language, memoryBytes: number, cpuMs: number): Promise<IsolatedProcess> {
    return this.isolation.start(await this.interpreters.specOf(language, { memoryBytes, cpuMs }));
  }
}
