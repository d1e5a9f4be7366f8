import type { ToolFile } from './tool.js';

export const DATABASE_TOOLS: ToolFile = {
  group: 'databases',
  tools: [
    {
      name: 'list_databases',
      title: 'List databases',
      description:
        'Lists the PostgreSQL databases of the organization, newest first. `parent_id` is the database that a branch ' +
        'is a copy of. Pass `meta.next_cursor` as `cursor` for the next page.',
      method: 'GET',
      path: '/api/v1/databases',
      effect: 'reads',
      omits: ['include_deleted'],
      goesOnWith: 'Call again with a smaller `limit`, then with `cursor`.',
    },
    {
      name: 'describe_schema',
      title: 'Describe the schema',
      description:
        'Returns the tables of a database with their columns, indexes and sizes. Call it before you write SQL.',
      method: 'GET',
      path: '/api/v1/databases/{database_id}/schema',
      effect: 'reads',
      goesOnWith: 'Query `information_schema` with query_database.',
    },
    {
      name: 'query_database',
      title: 'Query a database',
      description:
        'Runs one SQL statement that changes nothing, whatever it says. Values belong into `params`, as `$1`, `$2` …',
      method: 'POST',
      path: '/api/v1/databases/{database_id}/query',
      effect: 'reads',
      omits: ['access'],
      sends: { access: 'read' },
      quotes: 'the database',
      goesOnWith: 'Select fewer columns, or page with `LIMIT` and a condition on the last key.',
    },
    {
      name: 'create_branch',
      title: 'Create a branch',
      description:
        'Creates a database with a copy of all data of another one. Try changes there with execute_sql. ' +
        'It is `creating` at first; list_databases says when it is `ready`.',
      method: 'POST',
      path: '/api/v1/databases/{database_id}/branches',
      effect: 'writes',
    },
    {
      name: 'execute_sql',
      title: 'Execute SQL',
      description:
        'Runs one SQL statement that may change data or the schema of a branch; create_branch makes one. ' +
        'A database that is no branch, or is attached to production, is refused, unless the address of this server ' +
        'has `writes=main`; ' +
        'then a person is asked first.',
      method: 'POST',
      path: '/api/v1/databases/{database_id}/query',
      effect: 'destroys',
      alsoNeeds: ['databases:write'],
      omits: ['access'],
      sends: { access: 'write' },
      ownArguments: {
        confirm: {
          type: 'string',
          maxLength: 100,
          description:
            'The name of the database, repeated. Send it only when a person agreed to change a database that is no ' +
            'branch, and the client cannot ask by itself.',
        },
      },
      staysOnBranches: true,
      quotes: 'the database',
      goesOnWith: 'Select fewer columns, or page with `LIMIT` and a condition on the last key.',
    },
  ],
};
