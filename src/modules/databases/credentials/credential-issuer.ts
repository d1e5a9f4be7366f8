import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Ids } from '../../../platform/ids/ids.js';
import { Clock } from '../../../platform/time/clock.js';
import { DATABASE_CREDENTIAL_ID } from '../databases.ids.js';
import { PublicAddress } from '../domain/public-address.js';
import type { DatabaseCredential } from '../persistence/database-credential-rows.js';
import type { DatabaseRow } from '../persistence/database-rows.js';
import { DatabaseCredentialsStore } from '../persistence/database-credentials.store.js';
import { verifierOf, verifierText } from './scram-verifier.js';

const TAG_BYTES = 6;
const SECRET_BYTES = 24;

export interface IssuedCredential {
  readonly credential: DatabaseCredential;
  /** The connection URL, with the password that nothing keeps. */
  readonly url: string;
}

/** Makes up users and passwords. */
@Injectable()
export class CredentialIssuer {
  constructor(
    private readonly credentials: DatabaseCredentialsStore,
    private readonly address: PublicAddress,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {}

  async issue(
    { id: databaseId, label, host_id: hostId }: Pick<DatabaseRow, 'id' | 'label' | 'host_id'>,
    { access, name }: Pick<DatabaseCredential, 'access' | 'name'>,
    createdBy: string,
  ): Promise<IssuedCredential> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const credential: DatabaseCredential = {
      id: this.ids.next(DATABASE_CREDENTIAL_ID),
      databaseId,
      name,
      access,
      username: `${access}_${randomBytes(TAG_BYTES).toString('hex')}`,
      createdBy,
      createdAt: this.clock.now(),
      expiresAt: null,
      lastUsedAt: null,
    };
    await this.credentials.insert({ ...credential, verifier: verifierText(await verifierOf(secret)) });
    const { host, port } = (await this.address.of([hostId]))(hostId);
    const url = `postgres://${credential.username}:${secret}@${host}:${port}/${label}?sslmode=require`;
    return { credential, url };
  }
}
