import { defineId } from '../../platform/ids/define-id.js';

export const DATABASE_ID = defineId('db');
/** The data of a database. A swap gives it to another database. */
export const CLUSTER_ID = defineId('clu');
export const DATABASE_HOST_ID = defineId('dbh');
export const DATABASE_OPERATION_ID = defineId('dbo');
export const DATABASE_CREDENTIAL_ID = defineId('dbc');
export const DATABASE_BACKUP_ID = defineId('dbk');
