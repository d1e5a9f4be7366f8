import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { RecordedEntries } from './recorded-entries.js';

@Module({ imports: [AuditModule], providers: [RecordedEntries], exports: [RecordedEntries] })
export class RecordedEntriesModule {}
