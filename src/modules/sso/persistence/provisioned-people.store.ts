import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';

/** A person whom the provider of a connection provisions. */
export interface ProvisionedPerson {
  readonly connectionId: string;
  readonly userId: string;
}

@Injectable()
export class ProvisionedPeopleStore {
  constructor(private readonly database: Database) {}

  /** Returns undefined for a person whom the provider has never provisioned through the connection. */
  async isSuspended({ connectionId, userId }: ProvisionedPerson): Promise<boolean | undefined> {
    const [row] = await this.database.manager.query<{ suspended: boolean }[]>(
      'SELECT suspended FROM sso_provisioned_people WHERE connection_id = $1 AND user_id = $2',
      [connectionId, userId],
    );
    return row?.suspended;
  }

  async save({ connectionId, userId }: ProvisionedPerson, suspended: boolean, at: Date): Promise<void> {
    await this.database.manager.query(
      `
      INSERT INTO sso_provisioned_people (connection_id, user_id, suspended, changed_at) VALUES ($1, $2, $3, $4)
      ON CONFLICT (connection_id, user_id) DO UPDATE SET suspended = $3, changed_at = $4`,
      [connectionId, userId, suspended, at],
    );
  }
}
