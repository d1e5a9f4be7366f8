import { defineId } from '../../platform/ids/define-id.js';

export const BUCKET_ID = defineId('bkt');
/** An upload in parts. */
export const OBJECT_UPLOAD_ID = defineId('mpu');
/** Bytes that a write has reserved. The object that comes of it has the same revision. */
export const STORAGE_RESERVATION_ID = defineId('rsv');
