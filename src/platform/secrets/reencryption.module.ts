import { Module } from '@nestjs/common';
import { Reencryption } from './reencryption.js';

/** The module of the worker: modules that encrypt values import it into their jobs module. */
@Module({ providers: [Reencryption], exports: [Reencryption] })
export class ReencryptionModule {}
