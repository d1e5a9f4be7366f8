import type { DatabaseAccess, DatabaseAttachment } from '@service/client';
import type { ReactNode } from 'react';
import { api } from '../api';
import { type AttachChoice, AttachDialog, type Attachment } from '../attachments/attach-dialog';
import type { AttachmentKind } from '../attachments/attachments';
import { refreshDatabases } from '../data/databases';
import { Choice } from '../ui/form';
import { ACCESSES } from './database-words';

interface AttachDatabaseProps extends AttachChoice<DatabaseAttachment> {
  readonly org: string;
  /** The database and the project of a choice. */
  readonly pair: (chosen: string) => { readonly database: string; readonly project: string };
}

const PREVIEWS: readonly (readonly [DatabaseAttachment['previews'], string])[] = [
  ['branch', 'A branch of its own for each git branch'],
  ['same', 'The same database'],
  ['none', 'No database'],
];

/** What the attachment of a database has beside the sides that it joins. */
export const DATABASE_ATTACHMENT: AttachmentKind<DatabaseAttachment> = {
  variable: {
    title: 'Variable',
    cell: ({ prefix }) => <code className="font-mono text-xs">{prefix}_URL</code>,
  },
  details: [
    {
      title: 'Previews use',
      wideOnly: true,
      cell: ({ previews }) => PREVIEWS.find(([id]) => id === previews)?.[1] ?? previews,
    },
    { title: 'Access', wideOnly: true, cell: ({ access }) => ACCESSES[access][0] },
  ],
  detached: 'The project loses the variable and the way to the database. The data stays.',
};

export async function detachDatabase(org: string, database: string, project: string): Promise<void> {
  await api.databases.attachments.delete(database, project, { organization: org });
  await refreshDatabases(org);
}

export function AttachDatabase({ org, pair, ...open }: AttachDatabaseProps): ReactNode {
  const attach = async (chosen: string, { prefix, targets, values }: Attachment): Promise<void> => {
    const { database, project } = pair(chosen);
    await api.databases.attachments.set(
      database,
      project,
      {
        prefix,
        targets,
        previews: (values['previews'] ?? 'same') as DatabaseAttachment['previews'],
        access: (values['access'] ?? 'owner') as DatabaseAccess,
      },
      { organization: org },
    );
    await refreshDatabases(org);
  };
  return (
    <AttachDialog
      {...open}
      defaultPrefix="DATABASE"
      prefixHint="DATABASE gives the app DATABASE_URL. The URL holds no secret."
      onAttach={attach}
    >
      <Choice
        label="Previews use"
        name="previews"
        defaultValue={open.current?.previews ?? 'branch'}
        hint="A branch begins as a copy, and never changes the database that it comes from."
      >
        {PREVIEWS.map(([id, word]) => (
          <option key={id} value={id}>
            {word}
          </option>
        ))}
      </Choice>
      <Choice label="Access" name="access" defaultValue={open.current?.access ?? 'owner'}>
        {Object.entries(ACCESSES).map(([id, [word]]) => (
          <option key={id} value={id}>
            {word}
          </option>
        ))}
      </Choice>
    </AttachDialog>
  );
}
