import type { BucketAttachment } from '@service/client';
import type { ReactNode } from 'react';
import { api } from '../api';
import { type AttachChoice, AttachDialog, type Attachment } from '../attachments/attach-dialog';
import type { AttachmentKind } from '../attachments/attachments';
import { refreshStorage } from '../data/storage';
import { Choice } from '../ui/form';

interface AttachBucketProps extends AttachChoice<BucketAttachment> {
  readonly org: string;
  /** The bucket and the project of a choice. */
  readonly pair: (chosen: string) => { readonly bucket: string; readonly project: string };
}

export const KEY_ACCESSES = { write: 'Read and write', read: 'Read only' } as const;

/** What the attachment of a bucket has beside the sides that it joins. */
export const BUCKET_ATTACHMENT: AttachmentKind<BucketAttachment> = {
  variable: { title: 'Variables', cell: ({ prefix }) => <code className="font-mono text-xs">{prefix}_…</code> },
  details: [{ title: 'Access', wideOnly: true, cell: ({ access }) => KEY_ACCESSES[access] }],
  detached: 'The key pair of the project ends at once. The objects stay.',
};

export async function detachBucket(org: string, bucket: string, project: string): Promise<void> {
  await api.storage.attachments.delete(bucket, project, { organization: org });
  await refreshStorage(org);
}

export function AttachBucket({ org, pair, ...open }: AttachBucketProps): ReactNode {
  const attach = async (chosen: string, { prefix, targets, values }: Attachment): Promise<void> => {
    const { bucket, project } = pair(chosen);
    const access = (values['access'] ?? 'write') as BucketAttachment['access'];
    await api.storage.attachments.set(bucket, project, { prefix, targets, access }, { organization: org });
    await refreshStorage(org);
  };
  return (
    <AttachDialog
      {...open}
      defaultPrefix="STORAGE"
      prefixHint="STORAGE gives STORAGE_BUCKET, STORAGE_ENDPOINT, a key pair, and the names that AWS clients read."
      onAttach={attach}
    >
      <Choice label="Access" name="access" defaultValue={open.current?.access ?? 'write'}>
        {Object.entries(KEY_ACCESSES).map(([access, word]) => (
          <option key={access} value={access}>
            {word}
          </option>
        ))}
      </Choice>
    </AttachDialog>
  );
}
