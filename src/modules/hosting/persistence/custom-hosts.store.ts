import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { keyOfCustomHost } from './alias-keys.js';
import { ALIASES_CHANNEL } from './aliases.store.js';
import { CustomHost } from './custom-host.entity.js';

@Injectable()
export class CustomHostsStore {
  constructor(private readonly database: Database) {}

  /** Joins the current transaction. */
  async put(host: CustomHost): Promise<void> {
    await this.database.manager.upsert(CustomHost, host, ['name']);
    await this.notify(host.name);
  }

  /** Joins the current transaction. */
  async remove(name: string, projectId: string): Promise<void> {
    await this.database.manager.delete(CustomHost, { name, projectId });
    await this.notify(name);
  }

  /** Returns the entry of the exact name, or else that of the wildcard which covers it. */
  async find(host: string): Promise<CustomHost | null> {
    const wildcard = `*${host.slice(host.indexOf('.'))}`;
    const found = await this.database.manager.find(CustomHost, { where: [{ name: host }, { name: wildcard }] });
    return found.find(({ name }) => name === host) ?? found[0] ?? null;
  }

  private async notify(name: string): Promise<void> {
    await this.database.manager.query('SELECT pg_notify($1, $2)', [ALIASES_CHANNEL, keyOfCustomHost(name)]);
  }
}
