import { Module } from '@nestjs/common';
import { EventsStore } from './events.store.js';

@Module({ providers: [EventsStore], exports: [EventsStore] })
export class EventsPersistenceModule {}
