import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { ClusterLimits, Restriction } from '../database-engine.js';
import { writeWhole } from './cluster-home.js';
import { ClusterPrograms } from './cluster-programs.js';
import { ClusterServer, serverCommand, ServerLines } from './cluster-server.js';
import { accessRules, allConnections, serverSettings } from './cluster-settings.js';

/** Processes of a server beside one for each connection: its own, parallel workers, and those of the archive. */
const OTHER_TASKS = 32;

export interface StartInput {
  readonly directory: string;
  readonly limits: ClusterLimits;
  /** The size of the data when it was last measured. Without one, the server has all buffers of its plan. */
  readonly dataBytes?: number;
  readonly restriction: Restriction;
  /** True while the service itself works in the tenant's database, before a client may. */
  readonly entersApp?: boolean;
}

/** Starts the servers of clusters. */
@Injectable()
export class ClusterStarter {
  constructor(private readonly programs: ClusterPrograms) {}

  /** Returns the server when it answers. No other server of this cluster may run. */
  async start(input: StartInput): Promise<ClusterServer> {
    const { directory, limits } = input;
    await this.configure(input);
    const lines = new ServerLines();
    const program = await this.programs.launch({
      directory,
      command: ({ bin }) => serverCommand(bin),
      limits: { memoryBytes: limits.memoryBytes, tasks: allConnections(limits) + OTHER_TASKS },
      output: { line: lines.line, bytes: Number.MAX_SAFE_INTEGER, pace: PACE },
      sendsMore: true,
    });
    return ClusterServer.follow({ directory, lines, program });
  }

  /** Writes the settings of a server. A running one must be asked to read them again. */
  async configure({ directory, entersApp = false, ...input }: StartInput): Promise<void> {
    const { countsStatements } = await this.programs.installation();
    const settings = join(directory, 'settings');
    const rules = `${accessRules(input.restriction)}${entersApp ? 'local app platform trust\n' : ''}`;
    await Promise.all([
      writeWhole(join(settings, 'postgresql.conf'), serverSettings({ ...input, countsStatements })),
      writeWhole(join(settings, 'pg_hba.conf'), rules),
      writeWhole(join(settings, 'pg_ident.conf'), ''),
    ]);
  }
}

/** A server prints little. What is more is the work of a tenant. */
const PACE = { linesPerSecond: 20, burstLines: 200, bytesPerSecond: 16_384, burstBytes: 131_072, costOfDropped: 1 };
