import { Injectable } from '@nestjs/common';
import type { ScheduleHandler } from '../../../platform/background/define-schedule.js';
import { Handles } from '../../../platform/background/handles.js';
import { inBatches } from '../../../platform/database/in-batches.js';
import { ReservationsStore } from '../persistence/reservations.store.js';
import { ObjectWrites } from '../writes/object-writes.js';
import { storageReservationsSchedule } from './objects.job.js';

const BATCH = 500;

@Injectable()
@Handles(storageReservationsSchedule)
export class StorageReservationsSweeper implements ScheduleHandler {
  constructor(
    private readonly reservations: ReservationsStore,
    private readonly writes: ObjectWrites,
  ) {}

  async run(stopping: AbortSignal): Promise<void> {
    const { now, dueAt } = this.writes.times;
    await inBatches((limit) => this.reservations.giveBackExpired(now, dueAt, limit), { size: BATCH, stopping });
  }
}
