import { Module } from '@nestjs/common';
import { OrgDirectoryModule } from '../../orgs/org-directory.module.js';
import { EventsPersistenceModule } from '../persistence/events-persistence.module.js';
import { EventFollower } from '../streams/event-follower.js';
import { EventSignals } from '../streams/event-signals.js';
import { OpenEventStreams } from '../streams/open-event-streams.js';
import { EventsController } from './events.controller.js';

@Module({
  imports: [EventsPersistenceModule, OrgDirectoryModule],
  controllers: [EventsController],
  providers: [EventFollower, EventSignals, OpenEventStreams],
})
export class EventsHttpModule {}
