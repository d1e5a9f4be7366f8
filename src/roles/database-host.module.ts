import { Module } from '@nestjs/common';
import { DatabasesHostModule } from '../modules/databases/host/databases-host.module.js';

/** Keeps project databases, and answers their clients. */
@Module({ imports: [DatabasesHostModule] })
export class DatabaseHostModule {}
