import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../../platform/database/database.js';
import { EncryptedTable, Reencryption } from '../../../platform/secrets/reencryption.js';
import { type ContentId, GenerationContentsStore } from '../persistence/generation-contents.store.js';
import { ContentVault } from '../retention/content-vault.js';

/** Re-encrypts the texts of one generation at a time. */
@Injectable()
export class EncryptedGenerationContents extends EncryptedTable<ContentId> implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly contents: GenerationContentsStore,
    private readonly vault: ContentVault,
    private readonly reencryption: Reencryption,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.reencryption.add(this);
  }

  outdated(mark: Buffer, last: ContentId | undefined, limit: number): Promise<ContentId[]> {
    return this.contents.withoutMark(mark, last, limit);
  }

  reencrypt(id: ContentId): Promise<void> {
    return this.database.transaction(async () => {
      // It may have been deleted meanwhile.
      const content = await this.contents.lock(id);
      if (content === undefined) return;
      await this.contents.saveTexts({ ...content, ...this.vault.seal(this.vault.open(content), content) });
    });
  }

  idsOf({ generationId }: ContentId): Readonly<Record<string, string>> {
    return { generationId };
  }
}
