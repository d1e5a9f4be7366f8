import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { type TotpRow, TotpStore } from '../persistence/totp.store.js';
import { TotpSecrets } from '../totp/totp-secrets.js';

/** Seals the secrets of authenticator apps with the newest key of the service. */
@Injectable()
export class EncryptedTotpSecrets extends EncryptedTable<TotpRow> implements OnApplicationBootstrap {
  constructor(
    private readonly totp: TotpStore,
    private readonly secrets: TotpSecrets,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: TotpRow | undefined, limit: number): Promise<TotpRow[]> {
    return this.totp.withoutMark(mark, last?.id, limit);
  }

  reencrypt({ id, secret }: TotpRow): Promise<void> {
    return this.totp.saveSealed(id, this.secrets.resealed(secret, id));
  }

  idsOf({ id }: TotpRow): Readonly<Record<string, string>> {
    return { factorId: id };
  }
}
