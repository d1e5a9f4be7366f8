import type { DatabaseAccess, IssuedDatabaseCredential } from '@service/client';
import type { ReactNode } from 'react';
import { api } from '../api';
import { refreshDatabases } from '../data/databases';
import { Button } from '../ui/button';
import { Dialog } from '../ui/dialog';
import { Choice, Field, Form } from '../ui/form';
import { ACCESSES } from './database-words';

interface CredentialDialogProps {
  readonly org: string;
  readonly database: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly onMade: (made: IssuedDatabaseCredential) => void;
}

export function CredentialDialog({ org, database, open, onClose, onMade }: CredentialDialogProps): ReactNode {
  return (
    <Dialog open={open} title="New credential" onClose={onClose}>
      <Form
        label="New credential"
        submit="Create the URL"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = '', access = 'owner' }) => {
          const made = await api.databases.credentials.create(
            database,
            { access: access as DatabaseAccess, ...(name === '' ? {} : { name }) },
            { organization: org },
          );
          void refreshDatabases(org);
          onMade(made);
        }}
      >
        <Choice label="Access" name="access" autoFocus defaultValue="owner">
          {Object.entries(ACCESSES).map(([access, [word, hint]]) => (
            <option key={access} value={access}>
              {word}: {hint.charAt(0).toLowerCase() + hint.slice(1, -1)}
            </option>
          ))}
        </Choice>
        <Field
          label="Name"
          name="name"
          maxLength={100}
          placeholder="Laptop of Ada"
          hint="To find it again. Optional."
        />
      </Form>
    </Dialog>
  );
}
