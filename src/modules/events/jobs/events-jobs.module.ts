import { Module } from '@nestjs/common';
import { EventsPersistenceModule } from '../persistence/events-persistence.module.js';
import { EventSignals } from '../streams/event-signals.js';
import { OldEventsSweeper } from './old-events.sweeper.js';
import { OrgEventProcessor } from './org-event.processor.js';

@Module({
  imports: [EventsPersistenceModule],
  providers: [EventSignals, OldEventsSweeper, OrgEventProcessor],
})
export class EventsJobsModule {}
