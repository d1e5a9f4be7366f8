import { defineErrors } from '../../platform/errors/define-errors.js';
import { DomainError } from '../../platform/errors/domain-error.js';
import { GENERIC_ERRORS } from '../../platform/errors/generic.errors.js';
import { RequestInvalid } from '../../platform/errors/request-invalid.js';
import type { Plan } from '../plans/plan.js';
import { PLAN_ERRORS } from '../plans/plans.errors.js';

export const DATABASE_ERRORS = defineErrors({
  database_not_found: { type: 'not_found_error', status: 404, title: 'Database not found.' },
  database_not_restorable: { type: 'conflict_error', status: 409, title: 'Database not restorable.' },
  databases_not_swappable: { type: 'conflict_error', status: 409, title: 'Databases not swappable.' },
  database_busy: { type: 'conflict_error', status: 409, title: 'Another operation is running on the database.' },
  branch_has_children: { type: 'conflict_error', status: 409, title: 'The database has branches.' },
  database_attachment_not_found: { type: 'not_found_error', status: 404, title: 'Database attachment not found.' },
  database_credential_not_found: { type: 'not_found_error', status: 404, title: 'Database credential not found.' },
  query_failed: { type: 'validation_error', status: 400, title: 'The statement failed.' },
  export_format_unavailable: { type: 'validation_error', status: 400, title: 'Export format unavailable.' },
  query_timeout: { type: 'api_error', status: 408, title: 'The statement took too long.' },
  database_unavailable: { type: 'api_error', status: 503, title: 'Database unavailable.' },
});

export class DatabaseNotFound extends DomainError {
  constructor() {
    super(DATABASE_ERRORS.database_not_found, 'Database not found.', {
      hint: 'List the databases of the organization: GET /api/v1/databases.',
    });
  }
}

export class DatabaseUnavailable extends DomainError {
  /** @param reason one sentence that a tenant may read. */
  constructor(reason: string, options?: ErrorOptions) {
    super(
      DATABASE_ERRORS.database_unavailable,
      reason,
      { hint: 'Retry in a few seconds.', retryAfterSeconds: 5 },
      options,
    );
  }
}

/** The details hold the moments that it can be restored to. They are null when there are none yet. */
export class DatabaseNotRestorable extends DomainError {
  constructor(reason: string, { from, until }: { readonly from: Date | null; readonly until: Date | null }) {
    const between = from !== null && until !== null;
    super(DATABASE_ERRORS.database_not_restorable, reason, {
      hint: between
        ? `Choose a moment between ${from.toISOString()} and ${until.toISOString()}.`
        : 'Wait for the first backup: GET /api/v1/databases/{database_id}/backups.',
      details: { from: from?.toISOString() ?? null, until: until?.toISOString() ?? null },
    });
  }
}

/** One operation at a time changes a database. */
export class DatabaseBusy extends DomainError {
  constructor(message = 'Another operation is running on this database.') {
    super(DATABASE_ERRORS.database_busy, message, {
      hint: 'Wait until the state of the database does not change any more, then retry.',
    });
  }
}

export class BranchHasChildren extends DomainError {
  constructor() {
    super(DATABASE_ERRORS.branch_has_children, 'This database has branches.', {
      hint: 'Delete its branches first: GET /api/v1/databases/:database_id/branches lists them.',
    });
  }
}

export class DatabaseNameTaken extends DomainError {
  constructor(name: string) {
    super(GENERIC_ERRORS.already_exists, `The name ${name} is already used by another database.`, {
      hint: 'Choose another name.',
      details: { name },
    });
  }
}

export class TooManyDatabases extends DomainError {
  constructor({ id, name, databases: { count } }: Plan, upgradeUrl: string) {
    super(PLAN_ERRORS.plan_limit_reached, `Database limit reached: ${name} allows ${count}.`, {
      hint: `Delete a database or upgrade: ${upgradeUrl}`,
      details: { limit: count, plan: id },
    });
  }
}

export class DatabaseAttachmentNotFound extends DomainError {
  constructor() {
    super(DATABASE_ERRORS.database_attachment_not_found, 'The database is not attached to this project.', {
      hint: 'List its attachments: GET /api/v1/databases/:database_id/attachments.',
    });
  }
}

export class DatabasesNotSwappable extends DomainError {
  /** @param reason one sentence. */
  constructor(reason: string) {
    super(DATABASE_ERRORS.databases_not_swappable, reason, {
      hint: 'Swap two ready databases of one organization, such as a database and what was restored from it.',
    });
  }
}

export class AttachmentPrefixTaken extends DomainError {
  constructor(prefix: string) {
    super(GENERIC_ERRORS.already_exists, `Another database is attached to this project as ${prefix}.`, {
      hint: 'Choose another prefix.',
      details: { prefix },
    });
  }
}

export class TooManyAttachments extends RequestInvalid {
  constructor(limit: number) {
    super([
      {
        path: '',
        in: 'body',
        code: 'max_attachments',
        message: `A project can have ${limit} attached databases. Detach one that is no longer used.`,
        expected: { max: limit },
      },
    ]);
  }
}

export class DatabaseCredentialNotFound extends DomainError {
  constructor() {
    super(DATABASE_ERRORS.database_credential_not_found, 'Database credential not found.', {
      hint: 'List the credentials of the database: GET /api/v1/databases/:database_id/credentials.',
    });
  }
}

export class TooManyDatabaseCredentials extends DomainError {
  constructor(limit: number) {
    super(PLAN_ERRORS.plan_limit_reached, `Credential limit reached: a database has at most ${limit}.`, {
      hint: 'Delete credentials that are no longer used.',
      details: { limit },
    });
  }
}

/** What PostgreSQL says about a statement of the caller. */
export interface QueryFault {
  /** For example `42P01`. */
  readonly sqlState: string;
  readonly message: string;
  /** Counts characters of the statement from 1. */
  readonly position: number | undefined;
  readonly detail: string | undefined;
  readonly hint: string | undefined;
  /** The line of an import that holds it. */
  readonly line?: number;
  /** The line within the data of a COPY. */
  readonly copyLine?: number;
}

export class QueryFailed extends DomainError {
  constructor(readonly fault: QueryFault) {
    const { sqlState, message, position, detail, hint, line } = fault;
    super(DATABASE_ERRORS.query_failed, message, {
      ...(hint === undefined ? {} : { hint }),
      details: {
        sql_state: sqlState,
        ...(line === undefined ? {} : { line }),
        ...(position === undefined ? {} : { position }),
        ...(detail === undefined ? {} : { detail }),
      },
    });
  }

  get copyLine(): number | undefined {
    return this.fault.copyLine;
  }

  /** The same failure, with the line of the import that led to it. */
  atLine(line: number): QueryFailed {
    return new QueryFailed({ ...this.fault, line });
  }
}

/** A host of databases without a `pg_dump` that fits exports SQL only. */
export class ExportFormatUnavailable extends DomainError {
  /** @param packageName the package that the host lacks, if that is all. */
  constructor(reason: string, packageName: string | undefined) {
    super(DATABASE_ERRORS.export_format_unavailable, reason, {
      hint: 'Export with format=sql, or run pg_dump yourself with the URL of a credential.',
      details: { format: 'custom', ...(packageName === undefined ? {} : { package: packageName }) },
    });
  }
}

/** The connection ended after a statement was sent, so it is unknown whether what it changed was committed. */
export class StatementInterrupted extends DatabaseUnavailable {
  constructor(options: ErrorOptions) {
    super('The connection to the database ended in the middle of the statement.', options);
  }
}

export class QueryTimeout extends DomainError {
  /** @param isUndone false when PostgreSQL did not confirm the end of the statement, which may have been committed. */
  constructor(
    limitMs: number,
    readonly isUndone: boolean,
  ) {
    super(DATABASE_ERRORS.query_timeout, `The statement took longer than ${limitMs} ms and was cancelled.`, {
      hint: 'Raise timeout_ms, or make the statement do less.',
      details: { timeout_ms: limitMs },
    });
  }
}
