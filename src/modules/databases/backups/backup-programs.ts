import { Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { ClusterFiles } from '../engine/own/cluster-files.js';
import { ClusterHome } from '../engine/own/cluster-home.js';
import { DATA, SETTINGS } from '../engine/own/cluster-settings.js';
import { OwnEngine } from '../engine/own/own-engine.js';

const KEPT_CHARACTERS = 2_000;
const OUTPUT_BYTES = 65_536;
const MEMORY_BYTES = 512 * 1_048_576;

/** A program of the shell on the files of a cluster. */
export interface BackupProgram<Result> {
  readonly script: string;
  readonly arguments?: readonly string[];
  /** The arguments are the command line of the cluster's server, with these settings. */
  readonly serverSettings?: Readonly<Record<string, string>>;
  /** Another cluster, whose files it may read in `/parent`. */
  readonly parentId?: string;
  readonly input?: AsyncIterable<Buffer>;
  /** Reads standard output to its end. */
  readonly output?: (stdout: Readable) => Promise<Result>;
  /** Ends the program. */
  readonly signal?: AbortSignal;
}

interface Ended<Result> {
  readonly status: number;
  readonly result: Result | undefined;
  /** The last lines of standard error. They come from the cluster. */
  readonly said: string;
}

/** Runs programs inside of an isolation that sees the files of a cluster, and nothing else of the host. */
@Injectable()
export class BackupPrograms {
  constructor(
    private readonly engine: OwnEngine,
    private readonly home: ClusterHome,
    private readonly files: ClusterFiles,
  ) {}

  /** @throws {Error} when the program did not end by itself, or `output` or `input` failed. */
  async run<Result>(clusterId: string, program: BackupProgram<Result>): Promise<Ended<Result>> {
    const { script, serverSettings, parentId, input, output, signal } = program;
    signal?.throwIfAborted();
    let said = '';
    const launched = await this.engine.run(clusterId, {
      command: ({ bin }) => [
        ...['/bin/sh', '-c', script, 'sh'],
        ...(serverSettings === undefined ? (program.arguments ?? []) : serverCommand(bin, serverSettings)),
      ],
      limits: { memoryBytes: MEMORY_BYTES },
      ...(parentId === undefined ? {} : { mounts: [{ from: this.filesOf(parentId), to: '/parent' }] }),
      output: {
        line: (_stream, text) => {
          said = `${said}${text}\n`.slice(-KEPT_CHARACTERS);
        },
        bytes: OUTPUT_BYTES,
        rawStdout: true,
      },
      sendsMore: true,
    });
    const end = (): void => void launched.destroy();
    signal?.addEventListener('abort', end, { once: true });
    try {
      const [result] = await Promise.all([
        output === undefined ? drained(launched.stdout) : output(launched.stdout),
        input === undefined ? launched.stdin.end() : pipeline(Readable.from(input), launched.stdin).catch(unlessEnded),
      ]);
      const { cause, exitStatus } = await launched.exited;
      signal?.throwIfAborted();
      if (cause !== 'exit' || exitStatus === null) throw new Error(`A program on ${clusterId} was ended: ${cause}.`);
      return { status: exitStatus, result, said };
    } finally {
      signal?.removeEventListener('abort', end);
      await launched.destroy();
    }
  }

  /** {@link run}. @throws {Error} when the status is not zero. */
  async require<Result>(clusterId: string, program: BackupProgram<Result>): Promise<Result> {
    const { status, result, said } = await this.run(clusterId, program);
    if (status !== 0) throw new Error(`A program on ${clusterId} ended with ${status}: ${said}`);
    return result as Result;
  }

  private filesOf(clusterId: string): string {
    return this.files.filesOf(this.home.directoryOf(clusterId));
  }
}

const serverCommand = (bin: string, settings: Readonly<Record<string, string>>): string[] => [
  ...[`${bin}/postgres`, '-D', DATA, '-c', `config_file=${SETTINGS}/postgresql.conf`],
  ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

async function drained(stdout: Readable): Promise<undefined> {
  stdout.resume();
  await finished(stdout);
  return undefined;
}

/** A program that ends before it has read everything reports the reason by its status. */
function unlessEnded(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== 'EPIPE' && code !== 'ECONNRESET' && code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
}
