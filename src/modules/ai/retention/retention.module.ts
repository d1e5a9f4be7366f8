import { Module } from '@nestjs/common';
import { GenerationContentsStore } from '../persistence/generation-contents.store.js';
import { ContentVault } from './content-vault.js';
import { ContentsRemoval } from './contents-removal.js';
import { TextsKeeper } from './texts-keeper.js';

/** Texts of generations, for organizations that keep them. */
@Module({
  providers: [ContentsRemoval, ContentVault, GenerationContentsStore, TextsKeeper],
  exports: [ContentsRemoval, ContentVault, GenerationContentsStore, TextsKeeper],
})
export class RetentionModule {}
