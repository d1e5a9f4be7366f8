import assert from 'node:assert';

import { type ProcessesInside } from '../isolation-spec.js';
import { type LaunchSpec } from '../launch-spec.js';
import { type Architecture } from './bpf.js';
import { seccompFilter } from './filter.js';

/** The filters of all kinds of isolated programs. Each is assembled once. */
export class ProgramFilters {
  /** For a template, whose forks keep it below their own. */
  readonly template: Buffer;

  private readonly started: Readonly<Record<ProcessesInside, Buffer>>;
  private readonly builder: Buffer;
  private readonly sharedMemory: Buffer;
  private readonly launched: Readonly<Record<'none' | 'loopback', Buffer>>;

  /** @param countsSockets true when a program that has only loopback may have sockets, because they are limited. */
  constructor(architecture: Architecture, countsSockets: boolean) {
    const sockets = countsSockets ? 'internet' : 'local';
    this.started = {
      threads: seccompFilter({ architecture, processes: 'threads', sockets }),
      any: seccompFilter({ architecture, processes: 'any', sockets }),
    };
    this.template = seccompFilter({ architecture, processes: 'any', sockets, isolatesForks: true });
    this.builder = seccompFilter({ architecture, processes: 'any', sockets: 'internet', assemblesImages: true });
    this.sharedMemory = seccompFilter({ architecture, processes: 'any', sockets: 'local', sharedMemory: true });
    this.launched = {
      none: seccompFilter({ architecture, processes: 'any', sockets: 'local' }),
      loopback: seccompFilter({ architecture, processes: 'any', sockets: 'internet' }),
    };
  }

  /** For a program that waits for its work. */
  ofStarted(processes: ProcessesInside): Buffer {
    return this.started[processes];
  }

  ofLaunched({ system, sharedMemory = false, network }: LaunchSpec): Buffer {
    assert(!sharedMemory || (network === 'none' && system !== 'builder'), 'shared memory excludes a network');
    if (sharedMemory) return this.sharedMemory;
    if (system === 'builder') return this.builder;
    return this.launched[typeof network === 'string' ? network : 'loopback'];
  }
}
