import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'node:net';
import type { Client } from 'pg';
import type { IsolatedProgram } from '../../../../platform/isolation/isolated-program.js';
import { type QuestionOptions, questionServer } from './cluster-questions.js';
import { ClusterSocket } from './cluster-socket.js';
import { DATA, SETTINGS, SOCKET } from './cluster-settings.js';

/** The replay of what a killed server has written takes longest. */
const START_WITHIN_MS = 120_000;
const STOP_WITHIN_MS = 10_000;
const READY = 'database system is ready to accept connections';
/** What PostgreSQL writes about one of its processes. It then ends all others, and goes on. */
const KILLED = /\(PID \d+\) was terminated by signal 9/;
const KEPT_LINES = 20;

/**
 * Starts the server, and ends it in order at the end of standard input. The process id in the file of a killed server
 * belongs to another process by now, so the file is removed: no two servers of one cluster are started.
 */
const SCRIPT = `
rm -f ${DATA}/postmaster.pid
exec 3<&0
"$1/postgres" -D ${DATA} -c config_file=${SETTINGS}/postgresql.conf </dev/null 3<&- &
server=$!
( while read -r _ <&3; do :; done; kill -INT $server ) </dev/null >/dev/null 2>&1 &
exec 3<&-
wait $server
`;

export const serverCommand = (bin: string): readonly string[] => ['/bin/sh', '-c', SCRIPT, 'sh', bin];

/** The last lines of a server, for the log. */
export class ServerLines {
  private readonly kept: string[] = [];
  private onReady: () => void = () => undefined;
  /** Called when a process of the server was killed. A tenant may write such a line too. */
  onKilled: () => void = () => undefined;
  readonly ready = new Promise<void>((resolve) => {
    this.onReady = resolve;
  });

  readonly line = (_stream: 'stdout' | 'stderr', text: string): void => {
    this.kept.push(text.slice(0, 500));
    if (this.kept.length > KEPT_LINES) this.kept.shift();
    if (text.includes(READY)) this.onReady();
    if (KILLED.test(text)) this.onKilled();
  };

  get last(): string {
    return this.kept.join('\n');
  }
}

interface Launched {
  readonly directory: string;
  readonly lines: ServerLines;
  readonly program: IsolatedProgram;
}

/** The running PostgreSQL of a cluster. */
export class ClusterServer {
  private isFrozen = false;
  private freezing: Promise<void> | undefined;

  private constructor(
    private readonly launched: Launched,
    private readonly socket: ClusterSocket,
  ) {
    void this.exited.then(() => {
      socket.close();
    });
  }

  /** Waits until the server answers. @throws {Error} with its last lines when it does not. */
  static async follow(launched: Launched): Promise<ClusterServer> {
    const { directory, lines, program } = launched;
    const late = new AbortController();
    const outcome = await Promise.race([
      lines.ready.then(() => 'ready' as const),
      program.exited.then(({ cause }) => cause),
      sleep(START_WITHIN_MS, 'late' as const, { signal: late.signal, ref: false }).catch(() => 'late' as const),
    ]);
    late.abort();
    try {
      if (outcome === 'ready') return new ClusterServer(launched, ClusterSocket.open(join(directory, 'run', SOCKET)));
    } catch (error) {
      await program.destroy();
      throw error;
    }
    await program.destroy();
    throw new Error(`The server of a database did not start (${outcome}): ${lines.last}`);
  }

  get isAlive(): boolean {
    return this.launched.program.isAlive;
  }

  get exited(): IsolatedProgram['exited'] {
    return this.launched.program.exited;
  }

  /** Its last lines. They come from the cluster. */
  get lastLines(): string {
    return this.launched.lines.last;
  }

  /** Reports each time that memory ran out for one of its sessions, and the server went on without any of them. */
  onOutOfMemory(report: () => void): void {
    const { lines, program } = this.launched;
    lines.onKilled = () => {
      if (program.ranOutOfMemory) report();
    };
  }

  get frozen(): boolean {
    return this.isFrozen;
  }

  connect(onWrite: () => void): Promise<Socket> {
    return this.socket.connect(onWrite);
  }

  /** Asks as the superuser, in the database in which no tenant has anything. */
  asPlatform<Answer>(work: (client: Client) => Promise<Answer>, options: QuestionOptions = {}): Promise<Answer> {
    return questionServer(this.socket, work, options);
  }

  async freeze(): Promise<void> {
    if (this.isFrozen || !this.isAlive) return;
    this.isFrozen = true;
    this.freezing = this.launched.program.freeze().finally(() => {
      this.freezing = undefined;
    });
    await this.freezing;
  }

  /** Continues a frozen server. Bytes that are written meanwhile wait for it. */
  thaw(): void {
    if (!this.isFrozen) return;
    this.isFrozen = false;
    if (this.freezing === undefined) this.launched.program.thaw();
    else
      void this.freezing.then(() => {
        this.launched.program.thaw();
      });
  }

  /** Ends the server in order, and otherwise at once. Resolves when nothing of it is left. */
  async stop(withinMs = STOP_WITHIN_MS): Promise<void> {
    const { program } = this.launched;
    this.thaw();
    program.send(Buffer.alloc(0));
    const late = new AbortController();
    await Promise.race([program.exited, sleep(withinMs, undefined, { signal: late.signal }).catch(() => undefined)]);
    late.abort();
    await program.destroy();
  }
}
