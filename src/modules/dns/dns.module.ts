import { Module } from '@nestjs/common';
import { RecordLookup } from './record-lookup.js';

/** Names of domains and their records, for modules that let customers prove what is theirs. */
@Module({ providers: [RecordLookup], exports: [RecordLookup] })
export class DnsModule {}
