import { defineSchedule } from '../../../platform/background/define-schedule.js';

export const storageReservationsSchedule = defineSchedule({
  name: 'storage-reservations',
  summary: 'Returns the storage that writes of dead processes have reserved.',
  everyMs: 10_000,
  runsIn: 'one',
});

export const doomedBlobsSchedule = defineSchedule({
  name: 'doomed-blobs',
  summary: 'Deletes the bytes of objects that were replaced or deleted an hour ago.',
  everyMs: 30_000,
  runsIn: 'one',
});

export const expiredObjectUploadsSchedule = defineSchedule({
  name: 'expired-object-uploads',
  summary: 'Gives up uploads in parts after seven days.',
  everyMs: 600_000,
  runsIn: 'one',
});

export const blobScrubSchedule = defineSchedule({
  name: 'blob-scrub',
  summary: 'Compares a part of all objects with what is recorded of them; a week covers all of it.',
  everyMs: 3_600_000,
  runsIn: 'one',
});
