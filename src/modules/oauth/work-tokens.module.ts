import { Module } from '@nestjs/common';
import { SigningKeysModule } from './keys/signing-keys.module.js';
import { WorkTokensService } from './work-tokens.service.js';

@Module({ imports: [SigningKeysModule], providers: [WorkTokensService], exports: [WorkTokensService] })
export class WorkTokensModule {}
