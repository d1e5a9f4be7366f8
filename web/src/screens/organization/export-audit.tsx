import type { ReactNode } from 'react';
import { api } from '../../api';
import { Button } from '../../ui/button';
import { Dialog } from '../../ui/dialog';
import { Field, Form } from '../../ui/form';
import { saveFile } from '../../ui/save-file';

/** So many entries are one part, which the browser may keep outside of its memory. */
const PART = 1_000;
const DAY_MS = 86_400_000;

interface Props {
  readonly org: string;
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Saves the audit log, or a period of it, as a file with an entry in each line. */
export function ExportAuditDialog({ org, open, onClose }: Props): ReactNode {
  return (
    <Dialog open={open} title="Download the audit log" onClose={onClose}>
      <Form
        label="Download the audit log"
        submit="Download"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ from = '', to = '' }) => {
          const parts = await partsOf(org, {
            ...(from !== '' && { from: `${from}T00:00:00Z` }),
            ...(to !== '' && { to: new Date(Date.parse(to) + DAY_MS).toISOString() }),
          });
          saveFile(`audit-log-${org}.ndjson`, 'application/x-ndjson', ...parts);
          onClose();
        }}
      >
        <Field label="From" name="from" type="date" hint="Without a day, from the beginning." />
        <Field label="To" name="to" type="date" hint="Included. Days are those of UTC." />
      </Form>
    </Dialog>
  );
}

async function partsOf(org: string, period: { readonly from?: string; readonly to?: string }): Promise<Blob[]> {
  const parts: Blob[] = [];
  let lines: string[] = [];
  const keep = (): void => {
    parts.push(new Blob(lines));
    lines = [];
  };
  for await (const entry of api.orgs.exportAuditLog(org, period)) {
    lines.push(`${JSON.stringify(entry)}\n`);
    if (lines.length === PART) keep();
  }
  keep();
  return parts;
}
