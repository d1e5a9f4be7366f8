import type { Duplex, Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../platform/logging/log.js';
import { messageOf } from '../wire/protocol/messages.js';
import { writePaced } from '../wire/protocol/paced-write.js';
import { PeerGone } from '../wire/protocol/read-packets.js';
import { WireRefusal } from '../wire/protocol/wire-refusal.js';
import { DumpRuns } from './dump-runs.js';

/** Binary data without columns. */
const COPY_OUT = messageOf('H', Buffer.from([1, 0, 0]));
const COPY_DONE = messageOf('c');
const READY = messageOf('Z', Buffer.from('I'));

interface Dumped {
  readonly databaseId: string;
  readonly orgId: string;
}

/** Sends archives of databases to other processes of the service, which ask for them by a ticket. */
@Injectable()
export class DumpSessions {
  constructor(
    private readonly runs: DumpRuns,
    private readonly log: Log,
  ) {}

  /** Resolves when all was sent, or the caller has left. It never throws. */
  async serve(caller: Duplex, { databaseId, orgId }: Dumped): Promise<void> {
    const left = new AbortController();
    const leave = (): void => {
      left.abort(new PeerGone('The caller has left.'));
    };
    caller.once('end', leave).once('close', leave);
    // Its end is noticed only while it is read.
    caller.resume();
    const last = await this.runs
      .run({ databaseId, orgId, signal: left.signal }, (archive) => send(archive, caller))
      .then(
        () => COPY_DONE,
        (error: unknown) => this.refusalOf(error, left.signal),
      );
    if (caller.destroyed) return;
    await new Promise<void>((resolve) => {
      caller.once('close', resolve);
      caller.end(Buffer.concat([last, READY]), () => {
        resolve();
      });
    });
  }

  private refusalOf(error: unknown, left: AbortSignal): Buffer {
    if (error instanceof WireRefusal) return error.packet;
    if (!left.aborted) this.log.error({ error }, 'A project database could not be exported.');
    return new WireRefusal('57P03', 'The database cannot be exported at the moment.').packet;
  }
}

/** The first message says that there is an archive: before it, a failure is still answered as an error. */
async function send(archive: Readable, caller: Duplex): Promise<void> {
  let isFirst = true;
  for await (const piece of archive as AsyncIterable<Buffer>) {
    if (caller.destroyed) throw new PeerGone('The caller has left.');
    const message = messageOf('d', piece);
    await writePaced(caller, isFirst ? Buffer.concat([COPY_OUT, message]) : message);
    isFirst = false;
  }
}
