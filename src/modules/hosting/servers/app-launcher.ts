import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import { Isolation } from '../../../platform/isolation/isolation.js';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import { LISTEN_DESCRIPTOR, type LaunchLimits } from '../../../platform/isolation/launch-spec.js';
import type { OutputPace } from '../../../platform/isolation/output-pace.js';
import { NodePrograms, NodeUnavailable } from '../../../platform/node-programs/node-programs.js';
import { ServerDidNotStart } from '../hosting.errors.js';
import { directoryOf } from '../ingest/file-paths.js';
import type { Manifest } from '../ingest/manifest.js';
import type { AppAllowance } from './app-allowances.js';
import { AppTrees } from './app-trees.js';

const MEBIBYTE = 1_048_576;
const LIMITS: Omit<LaunchLimits, 'memoryBytes' | 'cpu'> = {
  tasks: 128,
  openFiles: 4_096,
  fileBytes: 128 * MEBIBYTE,
  scratchBytes: 64 * MEBIBYTE,
  wallMs: null,
  cpuMs: null,
};
/**
 * A line for each of some hundred requests a second; what servers print is read on the loop that serves all of them.
 */
export const PACE: OutputPace = {
  linesPerSecond: 200,
  burstLines: 1_000,
  bytesPerSecond: 262_144,
  burstBytes: 1_048_576,
};
/** Whoever starts a server may find out what it is called by. The network is its own, so that any number will do. */
const PORT = '3000';
const SYSTEM = ['/usr/bin', '/bin', '/usr/share/zoneinfo', '/usr/share/ca-certificates', '/etc/ssl/certs'];
/**
 * The server and what leads to it begin at the same time, and not one after the other: each takes as long as Node takes
 * to start. When the server ends all ends, with its status; the socket is none of its business.
 */
const BOTH = `/opt/node/bin/node /opt/hosting/serve.cjs & "$@" </dev/null ${LISTEN_DESCRIPTOR}<&-; exit $?`;
/** A path of a socket has 107 bytes at most. */
const SOCKET = 's';

export interface LaunchedApp {
  readonly program: IsolatedProgram;
  /** Where it is asked. The socket is the host's, in a directory that only the service can enter. */
  readonly socketPath: string;
}

interface Launch {
  readonly deployId: string;
  readonly manifest: Manifest;
  /** Of its organization's plan. */
  readonly allowance: AppAllowance;
  /** Looked for while the files are made ready. */
  readonly environment: Promise<Readonly<Record<string, string>>>;
  readonly line: (stream: 'stdout' | 'stderr', text: string) => void;
  /** Told of lines that came too fast. */
  readonly dropped: (lines: number) => void;
}

/** Starts the server of a deploy in isolation: without a network, its own files read-only, `/tmp` to write to. */
@Injectable()
export class AppLauncher {
  constructor(
    private readonly isolation: Isolation,
    private readonly nodes: NodePrograms,
    private readonly trees: AppTrees,
  ) {}

  /** @throws {ServerDidNotStart} where this machine cannot run it. */
  async launch({ deployId, manifest, allowance, environment, line, dropped }: Launch): Promise<LaunchedApp> {
    const missing = this.isolation.missing();
    if (missing.length > 0) throw new ServerDidNotStart(`Servers cannot be run here: ${missing.join(', ')}.`, []);
    const node = await this.nodeOf(manifest, line);

    const [tree, hosts, program, forwarder, variables] = await Promise.all([
      this.trees.of(deployId, manifest),
      this.trees.hostsFile(),
      this.isolation.reachable(node),
      this.isolation.reachable(join(__dirname, 'inside', 'serve.cjs')),
      environment,
    ]);
    const { command, directory } = manifest.server!;
    const inside = directoryOf(directory)!;
    return this.withSocket((listener) =>
      this.isolation.launch({
        command: ['/bin/sh', '-c', BOTH, 'sh', ...command],
        mounts: [
          ...SYSTEM.filter((path) => existsSync(path)).map((path) => ({ from: path, to: path })),
          { from: program, to: '/opt/node/bin/node' },
          { from: forwarder, to: '/opt/hosting/serve.cjs' },
          { from: tree, to: '/app' },
          { from: hosts, to: '/etc/hosts' },
        ],
        writable: [],
        directory: inside === '' ? '/app' : `/app/${inside}`,
        environment: {
          NODE_ENV: 'production',
          HOME: '/tmp',
          LANG: 'C.UTF-8',
          ...variables,
          PATH: '/opt/node/bin:/usr/bin:/bin',
          PORT,
          HOSTNAME: '0.0.0.0',
        },
        network: 'loopback',
        limits: {
          ...LIMITS,
          memoryBytes: allowance.memoryMib * MEBIBYTE,
          cpu: { weight: allowance.cpuWeight, maxPercent: allowance.cpuMaxPercent },
        },
        // What is kept of it is bounded by whoever keeps it.
        output: { line, bytes: Number.MAX_SAFE_INTEGER, pace: PACE, dropped },
        listener,
      }),
    );
  }

  /** A manifest that does not care has the newest. */
  private async nodeOf({ nodeVersion }: Manifest, line: Launch['line']): Promise<string> {
    try {
      return await this.nodes.program(nodeVersion ?? this.nodes.lines[0]!, (text) => {
        line('stderr', text);
      });
    } catch (error) {
      throw error instanceof NodeUnavailable ? new ServerDidNotStart(error.message, []) : error;
    }
  }

  private async withSocket(launch: (listener: number) => Promise<IsolatedProgram>): Promise<LaunchedApp> {
    const directory = await mkdtemp(join(tmpdir(), 'service-app-'));
    const remove = (): void => {
      rm(directory, { recursive: true, force: true }).catch(() => undefined);
    };
    const server = createServer();
    try {
      server.listen(join(directory, 'unnamed'));
      await once(server, 'listening');
      const socketPath = join(directory, SOCKET);
      // Closing our end removes the name that it was made with; under this one the program's end stays reachable.
      await rename(join(directory, 'unnamed'), socketPath);
      const program = await launch((server as unknown as { _handle: { fd: number } })._handle.fd);
      void program.gone.then(remove);
      return { program, socketPath };
    } catch (error) {
      remove();
      throw error;
    } finally {
      server.close();
    }
  }
}
