import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { AccessTickets } from '../../access/access-tickets.js';
import { ARCHIVE, DUMP_PARAMETER } from '../../dumps/dump-request.js';
import type { DatabaseRole } from '../../engine/database-engine.js';
import { GatewayMetrics } from '../../metrics/gateway.metrics.js';
import { OperatingHost } from '../../operations/operating-host.js';
import { WireAccessStore, type WireDatabase } from '../../persistence/wire-access.store.js';
import { readStartup } from '../protocol/read-packets.js';
import { parseStartupPacket, type StartupMessage } from '../protocol/startup-packet.js';
import { WireRefusal } from '../protocol/wire-refusal.js';
import { CredentialUses } from '../sessions/credential-uses.js';
import type { SessionKey, WireAccess } from '../sessions/wire-session.js';
import { SignIn } from './sign-in.js';

/** What a ticket was used for. */
type Granted =
  | { readonly kind: 'session'; readonly access: WireAccess; readonly startup: StartupMessage }
  | { readonly kind: 'dump'; readonly access: WireAccess }
  | { readonly kind: 'cancel'; readonly databaseId: string; readonly key: SessionKey };

/** Decides who may connect to which database: clients by their password, and the service itself by a ticket. */
@Injectable()
export class Admission {
  constructor(
    private readonly signIn: SignIn,
    private readonly tickets: AccessTickets,
    private readonly store: WireAccessStore,
    private readonly host: OperatingHost,
    private readonly uses: CredentialUses,
    private readonly metrics: GatewayMetrics,
  ) {}

  /** @throws {WireRefusal | PeerGone} */
  async byPassword(stream: Duplex, startup: StartupMessage, ip: string): Promise<WireAccess> {
    const { access, credentialId, ...database } = await this.signIn.signIn(stream, startup, ip);
    this.uses.record(credentialId);
    requireReady(database);
    return accessOf(database, access, credentialId);
  }

  /** @throws {WireRefusal | PeerGone} */
  async byTicket(stream: Duplex, text: string): Promise<Granted> {
    const ticket = this.host.id === undefined ? undefined : this.tickets.check(text, this.host.id);
    const database = ticket === undefined ? undefined : await this.store.findRoute(ticket.databaseId);
    if (ticket === undefined || database === undefined || database.hostId !== this.host.id) {
      this.metrics.refused('ticket');
      throw new WireRefusal('28000', 'the ticket is not valid');
    }
    stream.write('S');
    const packet = parseStartupPacket(await readStartup(stream));
    if (packet.kind === 'cancel') return { kind: 'cancel', databaseId: ticket.databaseId, key: packet };
    if (packet.kind !== 'startup') throw new WireRefusal('08P01', 'expected a startup message');
    requireReady(database);
    const access = accessOf(database, ticket.role, undefined);
    return isDumpRequest(packet, ticket.role) ? { kind: 'dump', access } : { kind: 'session', access, startup: packet };
  }
}

function accessOf(database: WireDatabase, role: DatabaseRole, credentialId: string | undefined): WireAccess {
  const { databaseId, orgId, clusterId, hostId, state } = database;
  return { databaseId, orgId, clusterId, hostId, state, role, credentialId };
}

/** Archives hold what only the owner may read. */
const isDumpRequest = ({ parameters }: StartupMessage, role: DatabaseRole): boolean =>
  role === 'owner' && parameters.get(DUMP_PARAMETER) === ARCHIVE;

/** Only those who may connect learn of the state. */
function requireReady({ state }: WireDatabase): void {
  if (state !== 'ready') throw new WireRefusal('57P03', `the database is ${state}`, 'Retry in a few seconds.');
}
