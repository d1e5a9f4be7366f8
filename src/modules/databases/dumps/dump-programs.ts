import { stat } from 'node:fs/promises';
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Mount } from '../../../platform/isolation/isolation-spec.js';
import { Log } from '../../../platform/logging/log.js';
import { DatabasesSettings } from '../databases.settings.js';
import { HostedEngine } from '../engine/hosted-engine.js';
import { POSTGRES_MAJOR } from '../engine/own/postgres-installation.js';
import { WireRefusal } from '../wire/protocol/wire-refusal.js';
import { DumpLaunches } from './dump-launches.js';
import { dumpPlaces } from './dump-places.js';

const OUTPUT_BYTES = 4_096;

/** A `pg_dump` of this machine. */
export interface DumpProgram {
  readonly mounts: readonly Mount[];
  readonly major: number;
}

/** What was found, or the newest version that is too old. */
type Found = { readonly program: DumpProgram } | { readonly program: undefined; readonly newest: number };

/**
 * Finds the `pg_dump` of this machine. The PostgreSQL that comes with the service has none, and one that is older than
 * a server refuses to read it.
 */
@Injectable()
export class DumpPrograms implements OnApplicationBootstrap {
  private readonly known = new Map<string, DumpProgram>();

  constructor(
    private readonly launches: DumpLaunches,
    private readonly engine: HostedEngine,
    private readonly settings: DatabasesSettings,
    private readonly log: Log,
  ) {}

  onApplicationBootstrap(): void {
    void this.require().catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.info({ reason }, 'Databases of this host are exported as SQL only. See /docs/databases#exports.');
    });
  }

  /** @throws {WireRefusal} `0A000`. Its hint is the package that is missing. */
  async require(): Promise<DumpProgram> {
    const missing = this.launches.missing();
    if (missing.length > 0)
      throw new WireRefusal('0A000', `This service cannot isolate pg_dump. It needs ${missing.join(', ')}.`);
    const major = await this.neededMajor();
    const found = await this.find(major);
    if (found.program !== undefined) return found.program;
    throw new WireRefusal('0A000', reasonOf(major, found.newest), `postgresql-client-${major}`);
  }

  private async neededMajor(): Promise<number> {
    const version = this.engine.kind === 'own' ? POSTGRES_MAJOR : await this.engine.version();
    return Number.parseInt(version, 10) || Number(POSTGRES_MAJOR);
  }

  private async find(major: number): Promise<Found> {
    let newest = 0;
    for (const place of await dumpPlaces(this.settings)) {
      const isTooOld = place.major !== undefined && place.major < major;
      const program = isTooOld ? undefined : await this.examined(place.path);
      if (program !== undefined && program.major >= major) return { program };
      newest = Math.max(newest, program?.major ?? (isTooOld ? place.major : 0));
    }
    return { program: undefined, newest };
  }

  private async examined(path: string): Promise<DumpProgram | undefined> {
    try {
      const { mtimeMs, size } = await stat(path);
      // A package that is upgraded has another one at the same place.
      const key = `${path} ${mtimeMs} ${size}`;
      const program = this.known.get(key) ?? (await this.examine(path));
      this.known.set(key, program);
      return program;
    } catch (error) {
      this.log.warn({ error, path }, 'A pg_dump of this machine does not run in isolation.');
      return undefined;
    }
  }

  private async examine(path: string): Promise<DumpProgram> {
    const mounts = await this.launches.mountsOf(path);
    let said = '';
    const launched = await this.launches.launch({
      mounts,
      arguments: ['--version'],
      output: {
        line: (_stream, text) => {
          said += `${text}\n`;
        },
        bytes: OUTPUT_BYTES,
      },
    });
    const ended = await launched.exited;
    const major = /^pg_dump \(PostgreSQL\) (\d{1,3})/m.exec(said)?.[1];
    if (ended.exitStatus !== 0 || major === undefined) throw new Error(`It says: ${ended.said}${said}`);
    return { mounts, major: Number(major) };
  }
}

function reasonOf(needed: number, newest: number): string {
  return newest === 0
    ? `This service has no pg_dump ${needed}, which writes this format.`
    : `The database runs PostgreSQL ${needed}, and the pg_dump of this service is ${newest}: it must not be older.`;
}
