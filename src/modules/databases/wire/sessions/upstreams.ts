import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { Log } from '../../../../platform/logging/log.js';
import { DatabaseAccess } from '../../database-access.js';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { DatabaseEngine } from '../../engine/database-engine.js';
import { OperatingHost } from '../../operations/operating-host.js';
import { keyDataOf, messageOf } from '../protocol/messages.js';
import { PeerGone, readMessage } from '../protocol/read-packets.js';
import { cancelPacketOf, startupMessageOf } from '../protocol/startup-packet.js';
import { WireRefusal } from '../protocol/wire-refusal.js';
import type { SessionKey, WireAccess } from './wire-session.js';

const MAX_MESSAGE_BYTES = 65_536;
const BEGIN_WITHIN_MS = 30_000;
/** The tenant's database inside of its cluster. The service itself uses another, where tenants have no names. */
const TENANT_DATABASE = 'app';
const OWN_DATABASE = 'postgres';
/** The first two are the gateway's to say, and a replication stream would see what is not the tenant's. */
const NOT_FORWARDED = new Set(['user', 'database', 'replication']);

export interface Upstream {
  readonly server: Duplex;
  /** What the server said so far, for the client, with the key of ours. It ends with an error when it refused. */
  readonly greeting: Buffer;
  /** The server's own key. Undefined when it refused. */
  readonly key: SessionKey | undefined;
}

/** Begins sessions at the servers of databases: wakes them, and names the role. */
@Injectable()
export class Upstreams {
  constructor(
    private readonly engine: DatabaseEngine,
    private readonly host: OperatingHost,
    private readonly access: DatabaseAccess,
    private readonly log: Log,
  ) {}

  /** True when this host keeps the database. Another host is asked like by any other process. */
  isHere({ hostId }: WireAccess): boolean {
    return hostId === this.host.id;
  }

  /** @throws {WireRefusal} */
  async begin(access: WireAccess, parameters: ReadonlyMap<string, string>, shown: SessionKey): Promise<Upstream> {
    const server = await this.connect(access);
    const deadline = setTimeout(() => server.destroy(), BEGIN_WITHIN_MS);
    try {
      const forwarded = [...parameters].filter(([name]) => !NOT_FORWARDED.has(name));
      const database = access.role === 'platform' ? OWN_DATABASE : TENANT_DATABASE;
      server.write(startupMessageOf([['user', access.role], ['database', database], ...forwarded]));
      return { server, ...(await greetingOf(server, shown)) };
    } catch (error) {
      server.destroy();
      throw this.refusalOf(error);
    } finally {
      clearTimeout(deadline);
    }
  }

  /** Cancels the statement of a session. The server answers by closing the connection. */
  async cancel(access: WireAccess, key: SessionKey): Promise<void> {
    const server = await this.connect(access);
    server.end(cancelPacketOf(key));
    server.resume();
    setTimeout(() => server.destroy(), BEGIN_WITHIN_MS).unref();
    await new Promise((resolve) => server.once('close', resolve));
  }

  private async connect(access: WireAccess): Promise<Duplex> {
    const { clusterId, databaseId, role } = access;
    try {
      const server = await (this.isHere(access)
        ? this.engine.connect(clusterId)
        : this.access.open({ databaseId, role }));
      server.on('error', () => server.destroy());
      return server;
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  private refusalOf(error: unknown): WireRefusal {
    if (error instanceof WireRefusal) return error;
    const known = error instanceof DatabaseUnavailable || error instanceof PeerGone;
    if (!known) this.log.error({ error }, 'A project database could not be reached.');
    const reason = error instanceof DatabaseUnavailable ? error.message : 'The database cannot be reached.';
    return new WireRefusal('57P03', reason, 'Retry in a few seconds.');
  }
}

/** Reads until the server has said the key of the session, which is the last before it is ready, or has refused. */
async function greetingOf(server: Duplex, shown: SessionKey): Promise<Pick<Upstream, 'greeting' | 'key'>> {
  const said: Buffer[] = [];
  for (let bytes = 0; bytes < MAX_MESSAGE_BYTES;) {
    const { type, body } = await readMessage(server, MAX_MESSAGE_BYTES);
    if (type === 'K') {
      const key = { processId: body.readUInt32BE(0), secret: body.readUInt32BE(4) };
      return { greeting: Buffer.concat([...said, keyDataOf(shown)]), key };
    }
    const message = messageOf(type, body);
    if (type === 'E') return { greeting: Buffer.concat([...said, message]), key: undefined };
    if (type === 'R' && body.readUInt32BE(0) !== 0) throw new Error('The server of a database asks for a password.');
    said.push(message);
    bytes += message.length;
  }
  throw new Error('The server of a database greets at too great a length.');
}
