import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { EgressProxy } from '../../../platform/egress/egress-proxy.js';
import { type LocalService, LocalServices } from '../../../platform/egress/local-service.js';
import { type EgressPolicy } from '../../../platform/egress/egress-policy.js';
import { type IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { IsolationDidNotStart, type Mount } from '../../../platform/isolation/isolation-spec.js';
import { type Isolation } from '../../../platform/isolation/isolation.js';
import {
  type LaunchEnd,
  type LaunchLimits,
  type LaunchOutput,
  type LentUser,
} from '../../../platform/isolation/launch-spec.js';
import { ORDINARY_PACE } from '../../../platform/isolation/output-pace.js';
import { BuildFailed } from '../build-failed.js';
import { type BuildLimits } from '../build-request.js';
import { type BuildDirectories, removeTree } from './build-directories.js';
import { cleanText } from './clean-text.js';
import { countBuild } from './disk/build-count.js';
import { type BuildDisk, type DiskProblem, type DiskUse } from './disk/build-disk.js';
import { type BuildDisks } from './disk/build-disks.js';
import { hostsRefusedFor, REFUSALS, unreachedHosts } from './refusals.js';
import { CERTIFICATES, type Toolchain } from './toolchain.js';

const MEBIBYTE = 1024 * 1024;
const OUTPUT_BYTES = 8 * MEBIBYTE;
/** The machine may be out of processes for a moment. A program that did not start had no effect, so it is retried. */
const START_ATTEMPTS = 4;
const START_AGAIN_MS = 500;
const EGRESS_BYTES = 8 * 1024 * MEBIBYTE;
/** The output of our own programs is parsed, so that no line may be missing. Its bytes are limited all the same. */
const PACE_OF_TEXT = { ...ORDINARY_PACE, burstLines: Number.MAX_SAFE_INTEGER };
/** Our own programs are at most git and two processes of Node at a time. Each Node has about a dozen threads. */
const HELPER_LIMITS = { memoryBytes: 512 * MEBIBYTE, tasks: 64, cpuMs: 60_000 };
/** Read-only directories may also belong to another user. Then the kernel reports missing permission instead. */
const READ_ONLY = /EROFS|EACCES|read-only file ?system|permission denied/i;
/** The end of the output, in which a program says why it failed. */
const LAST_LINES = 100;
const LONGEST_LAST_LINE = 1_000;
const MOST_HOSTS = 20;
const MOST_REACHED = 500;
/** On a fixed disk, this message of a program means that the disk of the build is full. */
const NO_SPACE = /ENOSPC|no space left on device/i;
/** A single file is limited to the size of the disk, and may reach it before the disk is full. */
const FILE_TOO_LARGE = /EFBIG|file too large|file size limit exceeded/i;
/** The directories of a build inside of the sandbox. */
const PLACES = { work: '/work', tmp: '/tmp', home: '/home/build' } as const;

const ENVIRONMENT = {
  PATH: '/opt/node/bin:/opt/tools/bin:/usr/bin',
  HOME: PLACES.home,
  USER: 'build',
  TMPDIR: '/tmp',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  TERM: 'dumb',
  TZ: 'UTC',
};
const PROXY = 'http://127.0.0.1:3128';
const WITH_PROXY = {
  http_proxy: PROXY,
  https_proxy: PROXY,
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  // Yarn 2 and later reads only its own variables.
  YARN_HTTP_PROXY: PROXY,
  YARN_HTTPS_PROXY: PROXY,
};
/** Tools of the user need these to reach servers through the proxy, and servers of their own without it. */
const FOR_TOOLS = {
  ...(CERTIFICATES === undefined ? {} : { NODE_EXTRA_CA_CERTS: CERTIFICATES }),
  NODE_USE_ENV_PROXY: '1',
  no_proxy: 'localhost,127.0.0.1,::1',
  NO_PROXY: 'localhost,127.0.0.1,::1',
};

export interface SessionParts {
  readonly isolation: Isolation;
  readonly directories: BuildDirectories;
  readonly toolchain: Toolchain;
  readonly disks: BuildDisks;
  readonly id: string;
  readonly limits: BuildLimits;
  /** What code of the user reaches at ports of 127.0.0.1. */
  readonly services: readonly LocalService[];
  readonly signal: AbortSignal;
  /** Receives the lines for the user. */
  readonly line: (stream: 'stdout' | 'stderr' | 'system', text: string) => void;
}

/** One program of a build. */
export interface Step {
  readonly command: readonly string[];
  readonly mounts?: readonly Mount[];
  readonly writable?: readonly Mount[];
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Left out, the program has no network. */
  readonly egress?: EgressPolicy;
  readonly stdin?: Buffer;
  /** True when standard input continues after `stdin`, by `IsolatedProgram.send`. */
  readonly sendsMore?: boolean;
  /** `log` sends the output to the user line by line, `text` returns it to the caller. */
  readonly output: 'log' | 'text';
  /** True when the step runs code of the user, with all the resources of the plan. */
  readonly untrustedCode?: boolean;
  /** True when the step builds a container image. It is root in its user namespace, and its code is untrusted. */
  readonly buildsImage?: boolean;
  /** True when the step must not change the source or the output. */
  readonly readOnly?: boolean;
}

export interface StepEnd {
  readonly exitStatus: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** True when the output reports a write to a read-only directory. */
  readonly metReadOnly: boolean;
  /** The last lines of a program whose output goes to the log. */
  readonly lastLines: readonly string[];
  /** The hosts that the program could not reach, each once: by a rule, or because they did not answer. */
  readonly refused: readonly string[];
  readonly unreachable: readonly string[];
  /** The hosts whose names lead to addresses that are not public. */
  readonly internal: readonly string[];
}

/**
 * The resources of one build on this machine: directories, a user of the host and a disk with a limit. The programs of
 * the build run in it one after another.
 */
export class BuildSession {
  private program: IsolatedProgram | null = null;
  private proxy: EgressProxy | null = null;
  private attached: LocalServices | null = null;
  private diskProblem: DiskProblem | null = null;
  /** True when the current or last program reported that there is no space. */
  private metNoSpace = false;
  /** What the network of the current or last program did not do. */
  private hosts = unreachedHosts();
  private readonly reached = new Set<string>();
  private closing: Promise<void> | null = null;
  private readonly job: string;
  private readonly disk: BuildDisk;
  private readonly user: LentUser;
  private readonly deadlineMs: number;
  private readonly abort = (): void => {
    void this.program?.destroy();
  };

  private constructor(
    private readonly parts: SessionParts,
    place: { job: string; disk: BuildDisk; user: LentUser },
  ) {
    this.job = place.job;
    this.disk = place.disk;
    this.user = place.user;
    this.deadlineMs = performance.now() + parts.limits.wallMs;
    parts.signal.addEventListener('abort', this.abort, { once: true });
  }

  /** @throws {BuildFailed} `isolation_unavailable` */
  static async open(parts: SessionParts): Promise<BuildSession> {
    parts.signal.throwIfAborted();
    const missing = parts.isolation.missing();
    if (missing.length > 0)
      throw new BuildFailed('isolation_unavailable', 'Builds are temporarily unavailable. Deploy again later.', {
        cause: new Error(`missing: ${missing.join(', ')}`),
      });
    const user = parts.isolation.lendUser();
    let session: BuildSession | undefined;
    try {
      const job = await parts.directories.makeJob(parts.id);
      const disk = await parts.disks.open({
        job,
        limitBytes: parts.limits.diskBytes,
        count: () => session?.count() ?? Promise.resolve(null),
        exceeded: (problem) => {
          session?.stopFor(problem);
        },
      });
      session = new BuildSession(parts, { job, disk, user });
      await session.prepare();
      return session;
    } catch (error) {
      if (session === undefined) user.giveBack();
      else await session.close();
      throw error;
    }
  }

  private async prepare(): Promise<void> {
    for (const { from } of this.places()) {
      await mkdir(from, { mode: 0o700 });
      await this.user.own(from);
    }
    await mkdir(join(this.job, 'egress'), { mode: 0o755 });
  }

  private count(): Promise<DiskUse | null> {
    return countBuild(
      { ...this.parts, user: this.user, job: this.job, places: this.places('/measured') },
      this.program,
    );
  }

  private stopFor(problem: DiskProblem): void {
    this.diskProblem ??= problem;
    void this.program?.destroy();
  }

  /** The directories that the build can write. */
  private places(below = ''): Mount[] {
    return Object.entries(PLACES).map(([name, to]) => ({ from: join(this.disk.directory, name), to: below + to }));
  }

  /** Makes the user of this build the owner of a new directory of the host. */
  own(directory: string): Promise<void> {
    return this.user.own(directory);
  }

  say(text: string): void {
    this.parts.line('system', text);
  }

  /** Waits for work that other builds may share, until this build is aborted. @throws the signal's reason */
  async waitFor<Result>(work: Promise<Result>): Promise<Result> {
    const { signal } = this.parts;
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => {
      aborted.reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      return await Promise.race([aborted.promise, work]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /**
   * Runs a program to its end.
   *
   * @throws {BuildFailed} when it exceeded a limit or could not be run.
   * @throws the signal's reason when it was aborted.
   */
  async run(step: Step): Promise<StepEnd> {
    const texts = { stdout: [] as string[], stderr: [] as string[] };
    const met = { readOnly: false };
    const lastLines: string[] = [];
    const line = (stream: 'stdout' | 'stderr', text: string): void => {
      if (READ_ONLY.test(text)) met.readOnly = true;
      this.noteNoSpace(text);
      if (step.output === 'log') {
        const clean = cleanText(text);
        lastLines.push(clean.slice(0, LONGEST_LAST_LINE));
        if (lastLines.length > LAST_LINES) lastLines.shift();
        this.parts.line(stream, clean);
      } else texts[stream].push(text);
    };
    const pace = step.output === 'text' ? { pace: PACE_OF_TEXT } : {};
    const end = await this.endOf(await this.launch(step, { line, bytes: OUTPUT_BYTES, ...pace }));
    return {
      exitStatus: this.judge(end),
      stdout: texts.stdout.join('\n'),
      stderr: texts.stderr.join('\n'),
      metReadOnly: met.readOnly,
      lastLines,
      refused: [...this.hosts.refused],
      unreachable: [...this.hosts.unreachable],
      internal: [...this.hosts.internal],
    };
  }

  /**
   * Starts a program. The caller reads its standard output and then awaits {@link finish}. `says` receives the lines of
   * standard error. @throws as {@link run}.
   */
  async start(step: Omit<Step, 'output'>, says: (text: string) => void = () => undefined): Promise<IsolatedProgram> {
    const line = (_stream: unknown, text: string): void => {
      this.noteNoSpace(text);
      says(text);
    };
    return this.launch({ ...step, output: 'text' }, { line, bytes: 64 * 1024, rawStdout: true });
  }

  /** Waits until a program of {@link start} ends. @throws as {@link run}. */
  async finish(program: IsolatedProgram): Promise<number | null> {
    return this.judge(await this.endOf(program));
  }

  /** Ends the running program and removes everything that this build has on this machine. */
  close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    this.parts.signal.removeEventListener('abort', this.abort);
    await this.program?.destroy();
    await this.closeEgress();
    await this.disk.close();
    await removeTree(this.job);
    this.user.giveBack();
  }

  private async launch(step: Step, output: LaunchOutput): Promise<IsolatedProgram> {
    this.parts.signal.throwIfAborted();
    const { egress } = step;
    const services = step.untrustedCode === true ? this.parts.services : [];
    const isForwarded = egress !== undefined || services.length > 0;
    const network = isForwarded ? await this.openNetwork(egress, services) : [];
    const places = this.places();
    this.metNoSpace = false;
    this.hosts = unreachedHosts();
    const system = [...(await this.parts.toolchain.system()), ...network, ...(step.mounts ?? [])];
    this.program = await this.startSoon(() =>
      this.parts.isolation.launch({
        command: !isForwarded ? step.command : ['/opt/node/bin/node', '/opt/egress/with-egress.cjs', ...step.command],
        mounts: step.readOnly === true ? [...system, ...places.filter(({ to }) => to !== '/tmp')] : system,
        writable: [...(step.readOnly === true ? [] : places), ...(step.writable ?? [])],
        directory: step.directory ?? (step.readOnly === true ? '/' : '/work'),
        environment: {
          ...ENVIRONMENT,
          ...(egress === undefined ? {} : WITH_PROXY),
          ...(step.untrustedCode === true ? FOR_TOOLS : {}),
          ...step.environment,
        },
        network: egress === undefined && step.untrustedCode !== true ? 'none' : 'loopback',
        user: this.user,
        // The builder mounts a directory `/sys` into its containers, and there is nothing to see in this one.
        ...(step.buildsImage === true ? { system: 'builder' as const, scratch: [{ to: '/sys', bytes: 4_096 }] } : {}),
        limits: this.limitsOf(step),
        output,
        ...(step.stdin === undefined ? {} : { stdin: step.stdin }),
        ...(step.sendsMore === undefined ? {} : { sendsMore: step.sendsMore }),
      }),
    );
    if (this.parts.signal.aborted || this.diskProblem !== null) void this.program.destroy();
    return this.program;
  }

  /** Retries a few times when isolation does not start. */
  private async startSoon(start: () => Promise<IsolatedProgram>): Promise<IsolatedProgram> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await start();
      } catch (error) {
        if (!(error instanceof IsolationDidNotStart)) throw error;
        if (attempt === START_ATTEMPTS) throw unavailable(error);
      }
      await sleep(attempt * START_AGAIN_MS, undefined, { signal: this.parts.signal }).catch(() => undefined);
      this.parts.signal.throwIfAborted();
    }
  }

  private limitsOf(step: Step): LaunchLimits {
    const { limits } = this.parts;
    const own =
      step.untrustedCode === true
        ? limits
        : { ...HELPER_LIMITS, memoryBytes: Math.min(HELPER_LIMITS.memoryBytes, limits.memoryBytes) };
    return {
      memoryBytes: own.memoryBytes,
      tasks: own.tasks,
      cpuMs: own.cpuMs,
      openFiles: 16_384,
      fileBytes: limits.diskBytes,
      scratchBytes: 64 * MEBIBYTE,
      wallMs: Math.max(1, Math.ceil(this.deadlineMs - performance.now())),
    };
  }

  private async openNetwork(policy: EgressPolicy | undefined, services: readonly LocalService[]): Promise<Mount[]> {
    await this.closeEgress();
    const directory = join(this.job, 'egress');
    this.attached = await LocalServices.listen(directory, services, () => {
      this.say('A service that is attached to the project did not answer.');
    });
    if (policy !== undefined) await this.openEgress(directory, policy);
    return [{ from: directory, to: '/run/egress' }, ...(await this.parts.toolchain.egressProgram())];
  }

  private async openEgress(directory: string, policy: EgressPolicy): Promise<void> {
    this.proxy = await EgressProxy.listen({
      directory,
      policy,
      bytes: EGRESS_BYTES,
      refused: (target, reason) => {
        const kind = hostsRefusedFor(reason, this.hosts);
        if (kind.size < MOST_HOSTS) kind.add(cleanText(target));
        this.say(`The network refused ${cleanText(target)}: ${REFUSALS[reason]}.`);
      },
      ...(policy.open === true
        ? {
            reached: (target: string) => {
              this.sayReached(cleanText(target), policy);
            },
          }
        : {}),
      unreachable: (target) => {
        const named = cleanText(target);
        if (this.hosts.unreachable.has(named) || this.hosts.unreachable.size >= MOST_HOSTS) return;
        this.hosts.unreachable.add(named);
        this.say(`${named} could not be reached.`);
      },
    });
  }

  /** With an open network, the log names each host that is not one of the usual registries. */
  private sayReached(target: string, { hosts }: EgressPolicy): void {
    if (this.reached.has(target) || hosts.some((host) => target === `${host}:443`)) return;
    if (this.reached.size > MOST_REACHED) return;
    this.reached.add(target);
    if (this.reached.size <= MOST_REACHED) this.say(`The build connected to ${target}.`);
    else this.say(`The build connected to more than ${MOST_REACHED} hosts. The others are not named.`);
  }

  private async closeEgress(): Promise<void> {
    const { proxy, attached } = this;
    this.proxy = null;
    this.attached = null;
    await proxy?.close();
    await attached?.close();
  }

  private async endOf(program: IsolatedProgram): Promise<LaunchEnd> {
    const end = await program.exited;
    await program.gone;
    this.program = null;
    await this.closeEgress();
    await this.disk.look();
    return end;
  }

  private judge({ cause, exitStatus, said }: LaunchEnd): number | null {
    this.parts.signal.throwIfAborted();
    if (this.diskProblem === 'machine') throw unavailable(new Error('The disk of this machine is nearly full.'));
    if (this.diskProblem === 'build' || (this.metNoSpace && exitStatus !== 0)) {
      throw new BuildFailed(
        'disk_full',
        `Disk limit exceeded: ${Math.floor(this.parts.limits.diskBytes / MEBIBYTE)} MiB. Write less or upgrade.`,
      );
    }
    switch (cause) {
      case 'exit':
        return exitStatus;
      case 'wall_time':
        throw new BuildFailed(
          'build_timed_out',
          `Time limit exceeded: ${Math.round(this.parts.limits.wallMs / 1000)} s. Shorten the build or upgrade.`,
        );
      case 'cpu_time':
        throw new BuildFailed(
          'build_timed_out',
          `Processor time limit exceeded: ${Math.round(this.parts.limits.cpuMs / 1000)} s. Shorten the build.`,
        );
      case 'memory':
        throw new BuildFailed(
          'out_of_memory',
          `Memory limit exceeded: ${Math.floor(this.parts.limits.memoryBytes / MEBIBYTE)} MiB. Use less or upgrade.`,
        );
      case 'tasks':
        throw new BuildFailed(
          'too_many_processes',
          `Process limit exceeded: ${this.parts.limits.tasks} processes and threads. Run fewer at a time.`,
        );
      case 'did_not_start':
        throw unavailable(new Error(said));
      case 'network':
      case 'destroyed':
        throw new BuildFailed('isolation_unavailable', 'The service stopped the build. Deploy again.');
    }
  }

  private noteNoSpace(text: string): void {
    if (FILE_TOO_LARGE.test(text) || (this.disk.isFixed && NO_SPACE.test(text))) this.metNoSpace = true;
  }
}

function unavailable(cause: Error): BuildFailed {
  return new BuildFailed('isolation_unavailable', 'Builds are temporarily unavailable. Deploy again later.', { cause });
}
