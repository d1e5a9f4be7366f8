import type { Duplex } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { DatabaseUnavailable } from '../../databases.errors.js';
import { ClusterAllowances } from '../cluster-allowances.js';
import { DatabaseEngine, type Measured, type Restriction } from '../database-engine.js';
import type { StartupMessage } from '../../wire/protocol/startup-packet.js';
import { DatabaseOnServer } from './database-on-server.js';
import { isTenantRole, namesOf } from './tenant-names.js';
import { TenantServer } from './tenant-server.js';
import { TenantConnections } from './tenant-connections.js';
import { openTenantSession } from './tenant-session.js';

/** Databases on one server of the operator's, for machines without isolation, or with a server of their own. */
@Injectable()
export class ServerEngine extends DatabaseEngine {
  readonly kind = 'server';
  readonly can = { branch: false, restore: false };

  constructor(
    private readonly server: TenantServer,
    private readonly databases: DatabaseOnServer,
    private readonly connections: TenantConnections,
    private readonly allowances: ClusterAllowances,
  ) {
    super();
  }

  override async create(clusterId: string): Promise<void> {
    await this.databases.create(clusterId, await this.allowances.of(clusterId));
  }

  override async connect(clusterId: string): Promise<Duplex> {
    await this.databases.require(clusterId);
    const { host, port } = this.server.place;
    const connection = openTenantSession({ host, port, client: (startup) => this.clientOf(clusterId, startup) });
    this.connections.add(clusterId, connection);
    return connection;
  }

  override async sleep(clusterId: string): Promise<void> {
    await this.databases.endSessions(clusterId);
  }

  override measure(clusterId: string): Promise<Measured> {
    return this.databases.measure(clusterId);
  }

  override restrict(clusterId: string, restriction: Restriction): Promise<void> {
    return this.databases.restrict(clusterId, restriction);
  }

  override endWriters(clusterId: string): Promise<number> {
    return this.databases.endWriters(clusterId);
  }

  override clone(): Promise<void> {
    return Promise.reject(new DatabaseUnavailable('Databases on this server have no branches.'));
  }

  override drop(clusterId: string): Promise<void> {
    return this.databases.drop(clusterId);
  }

  private clientOf(clusterId: string, { parameters }: StartupMessage): ReturnType<TenantServer['clientOf']> {
    const role = parameters.get('user') ?? '';
    if (!isTenantRole(role)) throw new Error('The role is not one of a tenant.');
    const names = namesOf(clusterId);
    const applicationName = parameters.get('application_name');
    return this.server.clientOf(names[role], names.database, {
      settings: settingsOf(parameters),
      ...(applicationName === undefined ? {} : { applicationName }),
    });
  }
}

const NOT_SETTINGS = new Set(['user', 'database', 'application_name', 'options', 'replication']);

/** What a startup message sets, in the form of the options of a command line, in which spaces are escaped. */
function settingsOf(parameters: ReadonlyMap<string, string>): string {
  const given = [...parameters].filter(([name]) => !NOT_SETTINGS.has(name));
  return [parameters.get('options') ?? '', ...given.map(([name, value]) => `-c ${word(`${name}=${value}`)}`)]
    .join(' ')
    .trim();
}

const word = (text: string): string => text.replace(/[\\\s]/g, '\\$&');
