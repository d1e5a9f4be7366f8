import { Module } from '@nestjs/common';
import { OrgEvents } from './org-events.js';

/** For modules whose work the members of an organization follow. */
@Module({ providers: [OrgEvents], exports: [OrgEvents] })
export class EventsModule {}
