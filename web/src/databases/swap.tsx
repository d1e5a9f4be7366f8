import type { Database } from '@service/client';
import { type ReactNode, useState } from 'react';
import { api, queries } from '../api';
import { refreshDatabases } from '../data/databases';
import { Button } from '../ui/button';
import { Confirm } from '../ui/confirm';
import { Dialog } from '../ui/dialog';
import { Choice, Form } from '../ui/form';
import { Section } from '../ui/page';

interface SwapProps {
  readonly org: string;
  readonly database: Database;
}

interface SwapDialogProps extends SwapProps {
  /** The dialog is open while there is one. */
  readonly other: Database | undefined;
  readonly onClose: () => void;
}

/** Asks before two databases get each other's data. */
export function SwapDialog({ org, database, other, onClose }: SwapDialogProps): ReactNode {
  return (
    <Confirm
      open={other !== undefined}
      title={`Swap ${database.name} with ${other?.name ?? ''}?`}
      action="Swap the data"
      danger
      onClose={onClose}
      onConfirm={async () => {
        if (other !== undefined) await swap(org, database.id, other.id);
      }}
    >
      Programs that connect to <b className="text-ink">{database.name}</b> reach the data of{' '}
      <b className="text-ink">{other?.name}</b> afterwards, and the other way round. {KEPT}
    </Confirm>
  );
}

const KEPT = 'Names, URLs and attachments stay. The open connections of both end.';

/** Swaps with a database that is no branch, such as one that was restored from this one. */
export function SwapWithOther({
  org,
  database,
  others,
}: SwapProps & { readonly others: readonly Database[] }): ReactNode {
  const [isAsking, setIsAsking] = useState(false);
  const close = (): void => {
    setIsAsking(false);
  };
  return (
    <div className="mt-8">
      <Section title="Swap with another database" hint="Such as one that was restored from this one.">
        <Button
          onClick={() => {
            setIsAsking(true);
          }}
        >
          Choose a database
        </Button>
        <Dialog open={isAsking} title={`Swap ${database.name}?`} onClose={close}>
          <Form
            label="Swap"
            submit="Swap the data"
            look="danger"
            aside={<Button onClick={close}>Cancel</Button>}
            onSubmit={async ({ other = '' }) => {
              await swap(org, database.id, other);
              close();
            }}
          >
            <Choice label="With" name="other" required autoFocus defaultValue="">
              <option value="" disabled>
                Choose one
              </option>
              {others.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Choice>
            <p className="text-muted">
              Programs that connect to <b className="text-ink">{database.name}</b> reach the data of the other one
              afterwards, and the other way round. {KEPT}
            </p>
          </Form>
        </Dialog>
      </Section>
    </div>
  );
}

async function swap(org: string, database: string, other: string): Promise<void> {
  await api.databases.swap(database, other, { organization: org });
  queries.removeQueries({ queryKey: ['asked-databases', org] });
  await refreshDatabases(org);
}
