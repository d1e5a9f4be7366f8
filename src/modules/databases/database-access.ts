import { createHash } from 'node:crypto';
import { connect as connectTcp, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { Injectable } from '@nestjs/common';
import { AccessTickets } from './access/access-tickets.js';
import { DatabaseNotFound, DatabaseUnavailable } from './databases.errors.js';
import type { DatabaseRole } from './engine/database-engine.js';
import { WireAccessStore, type WireRoute } from './persistence/wire-access.store.js';
import { readBytes } from './wire/protocol/read-packets.js';
import { codedPacketOf } from './wire/protocol/startup-packet.js';

const OPEN_WITHIN_MS = 5_000;
const ACCEPTED = 'S';

export interface OpenDatabase {
  readonly databaseId: string;
  /** Nobody outside of this module asks for `platform`. */
  readonly role: DatabaseRole;
  /** Ends the connection when it is aborted. */
  readonly signal?: AbortSignal;
}

/**
 * Opens connections to databases from any process. The caller then speaks the protocol of PostgreSQL from the startup
 * message on, without a password. The user and the database that it names do not matter: the host takes the role from
 * here. The startup message wakes the database; a cancel request is understood too, for sessions of the same database.
 */
@Injectable()
export class DatabaseAccess {
  constructor(
    private readonly store: WireAccessStore,
    private readonly tickets: AccessTickets,
  ) {}

  /**
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {DatabaseUnavailable} `database_unavailable`
   */
  async open({ databaseId, role, signal }: OpenDatabase): Promise<Duplex> {
    const route = await this.store.findRoute(databaseId);
    if (route === undefined) throw new DatabaseNotFound();
    if (route.state !== 'ready') throw new DatabaseUnavailable(`The database is ${route.state}.`);
    signal?.throwIfAborted();

    const raw = connectTcp(addressOf(route.address));
    const end = (): void => {
      raw.destroy();
    };
    const deadline = setTimeout(end, OPEN_WITHIN_MS);
    signal?.addEventListener('abort', end);
    raw.once('close', () => signal?.removeEventListener('abort', end));
    try {
      return await this.present(raw, route, role);
    } catch (error) {
      raw.destroy();
      signal?.throwIfAborted();
      throw new DatabaseUnavailable('The host of the database does not answer.', { cause: error });
    } finally {
      clearTimeout(deadline);
    }
  }

  private async present(raw: Socket, route: WireRoute, role: DatabaseRole): Promise<Duplex> {
    // The stream reports its end by `close`, and a listener of the caller may come too late for an error.
    raw.on('error', () => undefined);
    raw.setNoDelay(true);
    raw.write(codedPacketOf('tls'));
    if ((await readBytes(raw, 1)).toString('latin1') !== ACCEPTED) throw new Error('The host refuses TLS.');
    const socket = await encrypted(raw, route.certificateSha256);
    const ticket = this.tickets.issue({ databaseId: route.databaseId, role }, route.hostId);
    socket.write(codedPacketOf('ticket', Buffer.from(ticket)));
    if ((await readBytes(socket, 1)).toString('latin1') !== ACCEPTED) throw new Error('The host refuses the ticket.');
    return socket;
  }
}

/** The certificate is known exactly, so neither its name nor its issuer matters. */
function encrypted(raw: Socket, certificateSha256: string): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ socket: raw, rejectUnauthorized: false });
    socket.on('error', reject);
    socket.once('close', () => {
      reject(new Error('The connection ended.'));
    });
    socket.once('secureConnect', () => {
      const sha256 = createHash('sha256').update(socket.getPeerCertificate().raw).digest('hex');
      if (sha256 === certificateSha256) resolve(socket);
      else reject(new Error('The host has another certificate.'));
    });
  });
}

function addressOf(address: string): { host: string; port: number } {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) };
}
