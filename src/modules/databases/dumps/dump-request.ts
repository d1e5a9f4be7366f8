/**
 * The parameter of a startup message by which the service asks the host of a database for an archive instead of a
 * session. It counts after a ticket only. The host answers as to a `COPY … TO STDOUT`, or with an error.
 */
export const DUMP_PARAMETER = 'service_dump';
export const ARCHIVE = 'custom';
