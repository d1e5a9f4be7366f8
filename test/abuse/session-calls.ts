import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import {
  type SessionEndReason,
  type SessionOutcome,
  type SessionProcess,
  type SessionStart,
} from '../../src/modules/sandbox/sessions/host/session-process.js';
import { beginIn, type Mode } from './modes.js';

type Method = 'run' | 'shell' | 'listFiles' | 'readFile' | 'writeFile' | 'removeFile' | 'freeze' | 'thaw' | 'end';

export interface SessionCall {
  readonly call: number;
  readonly session: number;
  readonly method: Method | 'start' | 'ended' | 'isFrozen' | 'mode' | 'close';
  readonly parameters: readonly unknown[];
}

export interface SessionReply {
  readonly call: number;
  readonly value?: unknown;
  readonly fault?: string;
}

const PROGRAM = join(__dirname, 'sandbox-host-of-sessions.process.ts');

/** Sessions in a process that has the user and the cgroups of a mode. */
export class SessionsInMode {
  private readonly child: ChildProcess;
  private readonly place: ReturnType<typeof beginIn>;
  private readonly waiting = new Map<number, PromiseWithResolvers<unknown>>();
  private lastCall = 0;

  constructor(mode: Mode) {
    this.place = beginIn(mode);
    const settings = { cgroups: mode.cgroups, cpuWeight: 1_000, copiesDirectory: '/var/lib/service-platform/runtime' };
    const { execPath, execArguments } = this.place;
    this.child = fork(PROGRAM, [JSON.stringify(settings)], {
      env: {},
      ...(execPath === undefined ? {} : { execPath }),
      execArgv: execArguments,
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.child.on('message', (reply) => {
      const { call, value, fault } = reply as SessionReply;
      const asked = this.waiting.get(call);
      this.waiting.delete(call);
      if (fault === undefined) asked?.resolve(value);
      else asked?.reject(new Error(fault));
    });
  }

  get pid(): number {
    return this.child.pid!;
  }

  get expectedMode(): string | undefined {
    return this.place.expectedMode;
  }

  mode(): Promise<unknown> {
    return this.ask(0, 'mode');
  }

  async start(spec: SessionStart): Promise<SessionInMode> {
    return new SessionInMode(this, (await this.ask(0, 'start', spec)) as number);
  }

  ask(session: number, method: SessionCall['method'], ...parameters: readonly unknown[]): Promise<unknown> {
    const call = ++this.lastCall;
    const asked = Promise.withResolvers<unknown>();
    this.waiting.set(call, asked);
    this.child.send({ call, session, method, parameters } satisfies SessionCall);
    return asked.promise;
  }

  async close(): Promise<void> {
    await this.ask(0, 'close');
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
    await this.place.release();
  }
}

export class SessionInMode {
  constructor(
    private readonly sessions: SessionsInMode,
    private readonly id: number,
  ) {}

  ended(): Promise<SessionEndReason> {
    return this.call('ended') as Promise<SessionEndReason>;
  }

  isFrozen(): Promise<boolean> {
    return this.call('isFrozen') as Promise<boolean>;
  }

  run(code: string, timeoutMs: number): Promise<SessionOutcome> {
    return this.call('run', { code, timeoutMs, outputBytes: 100_000 }) as Promise<SessionOutcome>;
  }

  shell(command: string, timeoutMs: number): Promise<SessionOutcome> {
    return this.call('shell', { command, timeoutMs, outputBytes: 100_000 }) as Promise<SessionOutcome>;
  }

  writeFile(path: string, content: Buffer): Promise<unknown> {
    return this.call('writeFile', path, content);
  }

  async readFile(path: string): Promise<Buffer> {
    return Buffer.from((await this.call('readFile', path)) as Uint8Array);
  }

  async freeze(): Promise<void> {
    await this.call('freeze');
  }

  async end(): Promise<void> {
    await this.call('end');
  }

  private call(
    method: Method | 'ended' | 'isFrozen',
    ...parameters: Parameters<SessionProcess[Method]> | readonly unknown[]
  ): Promise<unknown> {
    return this.sessions.ask(this.id, method, ...parameters);
  }
}
