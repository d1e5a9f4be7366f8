import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { OrgDirectory } from '../../../orgs/org-directory.js';
import { PLANS } from '../../../plans/plan.js';
import { DumpSessions } from '../../dumps/dump-sessions.js';
import { PeerGone } from '../protocol/read-packets.js';
import { WireRefusal } from '../protocol/wire-refusal.js';
import { ConnectionPlaces } from './connection-places.js';
import { OpenSessions } from './open-sessions.js';
import { Upstreams } from './upstreams.js';
import { type WireAccess, WireSession } from './wire-session.js';

/** Begins the session of a client that may connect: when its plan has a place, at the server of its database. */
@Injectable()
export class SessionBeginnings {
  constructor(
    private readonly orgs: OrgDirectory,
    private readonly places: ConnectionPlaces,
    private readonly upstreams: Upstreams,
    private readonly sessions: OpenSessions,
    private readonly dumps: DumpSessions,
  ) {}

  /** Sends an archive instead of a session. Resolves when it was sent, or the caller has left. */
  dump(caller: Duplex, access: WireAccess): Promise<void> {
    return this.dumps.serve(caller, access);
  }

  /** Resolves when the session has ended. @throws {WireRefusal | PeerGone} */
  async begin(client: Duplex, access: WireAccess, parameters: ReadonlyMap<string, string>): Promise<void> {
    const release = await this.takePlace(access);
    try {
      if (isGone(client)) throw new PeerGone('The client did not wait.');
      const shown = this.sessions.newKey();
      const { server, greeting, key } = await this.upstreams.begin(access, parameters, shown);
      if (key === undefined || isGone(client)) {
        server.destroy();
        client.end(greeting);
        return;
      }
      client.write(greeting);
      const cancel = (): Promise<void> => this.upstreams.cancel(access, key);
      await this.sessions.keep(new WireSession(access, { client, server, cancel }), shown);
    } finally {
      release();
    }
  }

  /** The service's own connections are not the tenant's, and another host counts those to its databases. */
  private async takePlace(access: WireAccess): Promise<() => void> {
    if (access.role === 'platform' || !this.upstreams.isHere(access)) return () => undefined;
    const plan = await this.orgs.planOf(access.orgId);
    if (plan === undefined) throw new WireRefusal('57P03', 'the organization was deleted');
    return this.places.take(access.databaseId, PLANS[plan].databases.connections);
  }
}

const isGone = (client: Duplex): boolean => client.destroyed;
