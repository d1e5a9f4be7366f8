import { Module } from '@nestjs/common';
import { AuthEpochs } from './auth-epochs.js';
import { SecretHasher } from './secret-hasher.js';

@Module({ providers: [AuthEpochs, SecretHasher], exports: [AuthEpochs, SecretHasher] })
export class TokensModule {}
