import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ignore, queries } from '../../api';
import { Attachments } from '../../attachments/attachments';
import { type AttachedDatabase, attachedDatabasesQuery, databasesQuery } from '../../data/databases';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { type AttachedBucket, attachedBucketsQuery, bucketsQuery } from '../../data/storage';
import { AttachDatabase, DATABASE_ATTACHMENT, detachDatabase } from '../../databases/attach-database';
import { AttachBucket, BUCKET_ATTACHMENT, detachBucket } from '../../storage/attach-bucket';
import { ScreenLink } from '../../ui/screen-link';
import { ProjectFrame, type ProjectParams } from './project-frame';

export function prepare({ org, project }: ProjectParams): void {
  queries.query(attachedDatabasesQuery(org, project)).catch(ignore);
  queries.query(attachedBucketsQuery(org, project)).catch(ignore);
}

/** The databases and buckets that apps and builds of the project get. */
export function Screen({ org, project }: ProjectParams): ReactNode {
  return (
    <ProjectFrame org={org} project={project} open="projectAttached">
      <Databases org={org} project={project} />
      <Buckets org={org} project={project} />
    </ProjectFrame>
  );
}

function Databases({ org, project }: ProjectParams): ReactNode {
  const attached = useQuery(attachedDatabasesQuery(org, project));
  const all = rowsOf(useInfiniteQuery(databasesQuery(org)).data);
  const rows = attached.data ?? [];
  const idOf = ({ database_id: id }: AttachedDatabase): string => id;
  const free = all.filter(({ id, state }) => state === 'ready' && !rows.some((each) => idOf(each) === id));
  return (
    <Attachments
      words={{
        ...wordsOf('database'),
        title: 'Databases',
        hint: 'The app finds its address in the variable. The address holds no secret.',
        label: 'Attached databases',
      }}
      query={attached}
      rows={rows}
      keyOf={idOf}
      nameOf={nameOf}
      side={{
        title: 'Database',
        cell: (row) => (
          <ScreenLink to="database" params={{ org, database: idOf(row) }} className={LINK}>
            {row.name}
          </ScreenLink>
        ),
      }}
      kind={DATABASE_ATTACHMENT}
      mayWrite={useMay(org, 'databases:write')}
      choose={{ label: 'Database', options: free.map(({ id, name }) => [id, name]) }}
      form={(open) => <AttachDatabase {...open} org={org} pair={(database) => ({ database, project })} />}
      onDetach={(row) => detachDatabase(org, idOf(row), project)}
    />
  );
}

function Buckets({ org, project }: ProjectParams): ReactNode {
  const attached = useQuery(attachedBucketsQuery(org, project));
  const all = rowsOf(useInfiniteQuery(bucketsQuery(org)).data);
  const rows = attached.data ?? [];
  const idOf = ({ bucket_id: id }: AttachedBucket): string => id;
  const free = all.filter(({ id }) => !rows.some((each) => idOf(each) === id));
  return (
    <Attachments
      words={{
        ...wordsOf('bucket'),
        title: 'Buckets',
        hint: 'The app gets the bucket and a key pair that opens nothing else.',
        label: 'Attached buckets',
      }}
      query={attached}
      rows={rows}
      keyOf={idOf}
      nameOf={nameOf}
      side={{
        title: 'Bucket',
        cell: (row) => (
          <ScreenLink to="bucket" params={{ org, bucket: idOf(row) }} className={LINK}>
            {row.name}
          </ScreenLink>
        ),
      }}
      kind={BUCKET_ATTACHMENT}
      mayWrite={useMay(org, 'storage:write')}
      choose={{ label: 'Bucket', options: free.map(({ id, name }) => [id, name]) }}
      form={(open) => <AttachBucket {...open} org={org} pair={(bucket) => ({ bucket, project })} />}
      onDetach={(row) => detachBucket(org, idOf(row), project)}
    />
  );
}

const LINK = 'font-medium hover:underline';

const nameOf = ({ name }: { readonly name: string }): string => name;

const wordsOf = (kind: 'database' | 'bucket') => ({
  none: 'None.',
  add: `Attach a ${kind}`,
  adding: `Attach a ${kind}`,
  editing: (row: { readonly name: string }) => `Attachment of ${nameOf(row)}`,
  detaching: (row: { readonly name: string }) => `Detach ${nameOf(row)}?`,
});
