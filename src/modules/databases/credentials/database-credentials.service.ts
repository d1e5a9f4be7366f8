import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import type { Page, PageRequest } from '../../../platform/database/page.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Call } from '../../auth/caller.js';
import { DatabaseCredentialNotFound, TooManyDatabaseCredentials } from '../databases.errors.js';
import { DatabaseDirectory } from '../domain/database-directory.js';
import type { CredentialAccess, DatabaseCredential } from '../persistence/database-credential-rows.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabaseCredentialsStore } from '../persistence/database-credentials.store.js';
import { CredentialIssuer, type IssuedCredential } from './credential-issuer.js';

const MAX_CREDENTIALS = 100;

export interface CreateCredentialInput {
  readonly access: CredentialAccess;
  readonly name: string | undefined;
}

/** The users and passwords with which clients of PostgreSQL connect to a database. */
@Injectable()
export class DatabaseCredentialsService {
  constructor(
    private readonly database: Database,
    private readonly directory: DatabaseDirectory,
    private readonly credentials: DatabaseCredentialsStore,
    private readonly issuer: CredentialIssuer,
    private readonly clock: Clock,
  ) {}

  /**
   * Lists what works now, newest first.
   *
   * @throws {DatabaseNotFound} `database_not_found`
   * @throws {InsufficientScopes} `insufficient_scopes`
   */
  async list(call: Call, databaseId: string, page: PageRequest): Promise<Page<DatabaseCredential>> {
    const { id } = await this.directory.get(call, databaseId, 'databases:read');
    return this.credentials.list(id, this.clock.now(), page);
  }

  /**
   * Creates a credential. Its connection URL is returned once, and the password is not kept.
   *
   * @throws {TooManyDatabaseCredentials} `plan_limit_reached`
   * @throws as {@link list}.
   */
  create(call: Call, databaseId: string, { access, name = access }: CreateCredentialInput): Promise<IssuedCredential> {
    return this.database.transaction(async () => {
      const row = await this.directory.lock(call, databaseId, 'databases:write');
      await this.requireRoom(row);
      const issued = await this.issuer.issue(row, { access, name }, call.principal.user.id);
      await this.directory.record(call, 'database.credential_created', row, factsOf(issued.credential));
      return issued;
    });
  }

  /**
   * Creates a credential with the same name and access. The old one works for another `graceSeconds`, but never longer
   * than before.
   *
   * @throws {DatabaseCredentialNotFound} `database_credential_not_found`
   * @throws as {@link create}.
   */
  rotate(call: Call, databaseId: string, id: string, graceSeconds: number): Promise<IssuedCredential> {
    return this.database.transaction(async () => {
      const row = await this.directory.lock(call, databaseId, 'databases:write');
      const old = await this.lock(row, id);
      await this.credentials.expire(old.id, new Date(this.clock.now().getTime() + graceSeconds * 1_000));
      await this.requireRoom(row);
      const issued = await this.issuer.issue(row, old, call.principal.user.id);
      await this.credentials.announce();
      const details = { ...factsOf(issued.credential), replaces: old.id };
      await this.directory.record(call, 'database.credential_rotated', row, details);
      return issued;
    });
  }

  /** Deletes a credential, and ends its connections. @throws as {@link rotate}. */
  delete(call: Call, databaseId: string, id: string): Promise<void> {
    return this.database.transaction(async () => {
      const row = await this.directory.lock(call, databaseId, 'databases:write');
      const credential = await this.lock(row, id);
      await this.credentials.delete(credential.id);
      await this.credentials.announce();
      await this.directory.record(call, 'database.credential_deleted', row, factsOf(credential));
    });
  }

  private async requireRoom({ id }: DatabaseRow): Promise<void> {
    const count = await this.credentials.count(id, this.clock.now());
    if (count >= MAX_CREDENTIALS) throw new TooManyDatabaseCredentials(MAX_CREDENTIALS);
  }

  private async lock(row: DatabaseRow, id: string): Promise<DatabaseCredential> {
    const credential = await this.credentials.lock(row.id, id, this.clock.now());
    if (credential === undefined) throw new DatabaseCredentialNotFound();
    return credential;
  }
}

/** For the audit log. */
const factsOf = ({ id, access, username }: DatabaseCredential): Readonly<Record<string, unknown>> => ({
  credential_id: id,
  access,
  user: username,
});
