import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onThisMachine } from './patience.js';

const COMMAND_WITHIN_MS = 60_000;
/** What a container would ask for otherwise is more than some machines let root give. */
const LIMITS = { nofile: 65_536, nproc: 32_768 } as const;

export interface CommandResult {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandOptions {
  readonly withinMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a program to its end. Rejects only when it cannot be started; one that takes too long is killed. */
export function command(
  program: string,
  args: readonly string[],
  options: CommandOptions = {},
): Promise<CommandResult> {
  const { withinMs = COMMAND_WITHIN_MS, env = {}, cwd } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...(cwd === undefined ? {} : { cwd }),
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), onThisMachine(withinMs));
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ status: code ?? 137, stdout, stderr });
    });
  });
}

/**
 * podman with a storage of its own, which is removed with it, so that the images and networks of the machine are
 * neither seen nor changed. runc runs the containers, because crun refuses cgroups of version 1.
 */
export class ContainerEngine {
  private constructor(readonly directory: string) {}

  static create(): ContainerEngine {
    // Layers take more room than memory has, and /tmp may be in memory. Podman takes no path of more than 50
    // characters.
    const parent = process.env['TMPDIR'] ?? '/var/tmp';
    const engine = new ContainerEngine(mkdtempSync(join(parent, 'containers-')));
    for (const name of ['tmp', 'networks']) mkdirSync(join(engine.directory, name));
    // Users of containers pass through it to what is mounted.
    chmodSync(engine.directory, 0o711);
    return engine;
  }

  /** The one that the set-up of all files has created. */
  static open(directory: string): ContainerEngine {
    return new ContainerEngine(directory);
  }

  /** @throws {Error} with what podman said when it fails. */
  async podman(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    const { status, stdout, stderr } = await this.attempt(args, options);
    if (status !== 0) throw new Error(`podman ${args.join(' ')} ended with ${status}: ${stderr.slice(-4_000)}`);
    return stdout.trim();
  }

  attempt(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    return command('podman', [...this.globalOptions(), ...args], {
      ...options,
      env: { TMPDIR: join(this.directory, 'tmp'), ...options.env },
    });
  }

  /** What comes before the command of podman. */
  globalOptions(): string[] {
    const storage = ['--root', join(this.directory, 'root'), '--runroot', join(this.directory, 'run')];
    const networks = ['--network-config-dir', join(this.directory, 'networks')];
    return [...storage, ...networks, '--runtime', 'runc', '--cgroup-manager', 'cgroupfs', '--events-backend', 'file'];
  }

  /** Starts a container, and returns its id. Its health is asked for by the test: podman leaves that to systemd. */
  run(args: readonly string[], options: CommandOptions = {}): Promise<string> {
    return this.podman(['run', '--detach', '--health-interval', 'disable', ...limits(), ...args], options);
  }

  /** Runs a container to its end. */
  runToEnd(args: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
    return this.attempt(['run', '--rm', '--no-healthcheck', ...limits(), ...args], options);
  }

  /** Both streams, in no particular order. */
  async logs(container: string): Promise<string> {
    const { stdout, stderr } = await this.attempt(['logs', container]);
    return stdout + stderr;
  }

  async remove(container: string): Promise<void> {
    await this.podman(['rm', '--force', '--volumes', '--time', '0', container]);
  }

  /** Ends all containers and removes all that there is. */
  async close(): Promise<void> {
    for (const args of [
      ['rm', '--all', '--force', '--time', '0'],
      ['network', 'prune', '--force'],
      ['umount', '--all', '--force'],
    ])
      await this.attempt(args);
    for (const path of mountsBelow(this.directory)) await command('umount', ['--lazy', path]);
    rmSync(this.directory, { recursive: true, force: true });
  }
}

const limits = (): string[] => containerLimits().flatMap((limit) => ['--ulimit', limit]);

/** In the form of `--ulimit`. */
export function containerLimits(): string[] {
  const text = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name: string): number =>
    Number(new RegExp(`^${name}\\s+\\S+\\s+(\\d+)`, 'm').exec(text)?.[1] ?? Infinity);
  const [files, processes] = [hard('Max open files'), hard('Max processes')];
  return Object.entries({ nofile: Math.min(files, LIMITS.nofile), nproc: Math.min(processes, LIMITS.nproc) }).map(
    ([name, value]) => `${name}=${value}:${value}`,
  );
}

/** The innermost first. */
function mountsBelow(directory: string): string[] {
  return readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '')
    .filter((path) => path.startsWith(`${directory}/`))
    .reverse();
}
