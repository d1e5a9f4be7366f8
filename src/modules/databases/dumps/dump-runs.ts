import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import type { IsolatedProgram } from '../../../platform/isolation/isolated-program.js';
import type { LaunchEnd } from '../../../platform/isolation/launch-spec.js';
import { Log } from '../../../platform/logging/log.js';
import { DatabaseUnavailable } from '../databases.errors.js';
import { WireRefusal } from '../wire/protocol/wire-refusal.js';
import { DOOR, type DumpDoor, DumpDoors } from './dump-doors.js';
import { DumpLaunches, MEMORY_MIB } from './dump-launches.js';
import { type DumpProgram, DumpPrograms } from './dump-programs.js';
import { DumpRoom } from './dump-room.js';

const LIMIT_MS = 3_600_000;
const ERROR_BYTES = 65_536;
const LONGEST_FAULT = 2_000;
/** Its own option since this version. */
const EXCLUDES_EXTENSIONS = 17;

/** It reads as the owner, from whom row-level security hides nothing. */
const ARGUMENTS = [
  ...[`--host=${DOOR}`, '--port=5432', '--username=owner', '--dbname=app', '--no-password'],
  ...['--format=custom', '--encoding=UTF8', '--no-privileges', '--lock-wait-timeout=60000'],
];
const ENVIRONMENT = { PGOPTIONS: '-c default_transaction_read_only=on', PGSSLMODE: 'disable', PGGSSENCMODE: 'disable' };

interface DumpRequest {
  readonly databaseId: string;
  readonly orgId: string;
  /** Ends the program. */
  readonly signal: AbortSignal;
}

/** Reads an archive to its end. */
type Taker = (archive: Readable) => Promise<void>;

/** Writes databases in the format of `pg_restore`, by `pg_dump` in isolation. Nothing of an archive is kept here. */
@Injectable()
export class DumpRuns {
  constructor(
    private readonly programs: DumpPrograms,
    private readonly launches: DumpLaunches,
    private readonly doors: DumpDoors,
    private readonly room: DumpRoom,
    private readonly log: Log,
  ) {}

  /**
   * Calls `take` with the archive, which is written no faster than it is read.
   * @throws {WireRefusal} when it could not be written, or not to its end.
   */
  async run(request: DumpRequest, take: Taker): Promise<void> {
    const { databaseId, orgId, signal } = request;
    const program = await this.programs.require();
    await this.room.within(orgId, async () => {
      const door = await this.doors.open(databaseId, signal);
      try {
        await this.write(program, door, signal, take);
      } finally {
        await door.close();
      }
    });
  }

  private async write(program: DumpProgram, door: DumpDoor, signal: AbortSignal, take: Taker): Promise<void> {
    const faults: string[] = [];
    const launched = await this.launch(program, door, (line) => faults.push(line));
    const end = (): void => void launched.destroy();
    signal.addEventListener('abort', end, { once: true });
    try {
      if (signal.aborted) end();
      await take(launched.stdout);
      const ended = await launched.exited;
      if (ended.cause !== 'exit' || ended.exitStatus !== 0) throw this.refusalOf(ended, faults, door.failure);
    } finally {
      signal.removeEventListener('abort', end);
      await launched.destroy();
    }
  }

  private launch(
    { mounts, major }: DumpProgram,
    door: DumpDoor,
    fault: (line: string) => void,
  ): Promise<IsolatedProgram> {
    const launching = this.launches.launch({
      mounts: [...mounts, door.mount],
      arguments: [...ARGUMENTS, ...(major < EXCLUDES_EXTENSIONS ? [] : ['--exclude-extension=pg_stat_statements'])],
      environment: ENVIRONMENT,
      output: {
        line: (_stream, text) => {
          fault(text);
        },
        bytes: ERROR_BYTES,
        rawStdout: true,
      },
      wallMs: LIMIT_MS,
    });
    return launching.catch((error: unknown) => this.didNotStart(error));
  }

  private refusalOf(ended: LaunchEnd, faults: readonly string[], failure: unknown): WireRefusal {
    switch (ended.cause) {
      case 'memory':
        return new WireRefusal('53200', `pg_dump needs more than ${MEMORY_MIB} MiB of memory for this database.`);
      case 'wall_time':
        return new WireRefusal('57014', 'The export took longer than an hour.');
      case 'exit':
        if (failure instanceof DatabaseUnavailable) return new WireRefusal('57P03', failure.message);
        return new WireRefusal(...faultOf(faults));
      case 'did_not_start':
        return this.didNotStart(new Error(ended.said));
      case 'destroyed':
        return new WireRefusal('57P01', 'The export was ended.');
      case 'cpu_time':
      case 'network':
      case 'tasks':
        return new WireRefusal('XX000', `pg_dump was ended: ${ended.cause}.`);
    }
  }

  private didNotStart(error: unknown): never {
    this.log.error({ error }, 'pg_dump could not be started in isolation.');
    throw new WireRefusal('57P03', 'The host of the database could not start pg_dump.');
  }
}

/** What `pg_dump` has written about its failure, without its own name. */
function faultOf(lines: readonly string[]): [code: string, message: string, missing?: string] {
  const said = lines.flatMap((line) => /^pg_dump: error: (.*)$/.exec(line)?.[1] ?? []).join(' ');
  const detail = lines.find((line) => line.includes('server version: ')) ?? '';
  const [server, own] = [/server version: (\d+)/, /pg_dump version: (\d+)/].map((form) => form.exec(detail)?.[1]);
  if (said.includes('server version mismatch') && server !== undefined)
    return [
      '0A000',
      `The database runs PostgreSQL ${server}, and the pg_dump of this service is ${own ?? 'older'}: ` +
        'it must not be older.',
      `postgresql-client-${server}`,
    ];
  return ['XX000', `pg_dump failed: ${said === '' ? 'it gave no reason' : said}`.slice(0, LONGEST_FAULT)];
}
