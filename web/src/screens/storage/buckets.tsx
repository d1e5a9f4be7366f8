import type { Bucket } from '@service/client';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { api, ignore, queries } from '../../api';
import { bytesOf } from '../../chart/units';
import { useMay } from '../../data/me';
import { rowsOf } from '../../data/paged';
import { bucketQuery, bucketsQuery, refreshStorage, storageUsageQuery } from '../../data/storage';
import { pathTo } from '../../paths';
import { ProjectChoice, ProjectName } from '../../projects/project-choice';
import { Visibility } from '../../storage/bucket-frame';
import { StorageFrame } from '../../storage/storage-frame';
import { AddButton } from '../../ui/add-button';
import { Button } from '../../ui/button';
import { CopyLine } from '../../ui/copy';
import { Dialog } from '../../ui/dialog';
import { Empty } from '../../ui/empty';
import { Field, Form } from '../../ui/form';
import { Loaded } from '../../ui/loaded';
import { MeterBar } from '../../ui/meter-bar';
import { More } from '../../ui/more';
import { ScreenLink } from '../../ui/screen-link';
import { Table } from '../../ui/table';
import { When } from '../../ui/time';

interface Params {
  readonly org: string;
}

const COUNT = new Intl.NumberFormat('en');

export function prepare({ org }: Params): void {
  queries.infiniteQuery(bucketsQuery(org)).catch(ignore);
  queries.query(storageUsageQuery(org)).catch(ignore);
}

export function Screen({ org }: Params): ReactNode {
  const buckets = useInfiniteQuery(bucketsQuery(org));
  const mayWrite = useMay(org, 'storage:write');
  const [isAdding, setIsAdding] = useState(false);
  const add = mayWrite && (
    <AddButton
      onClick={() => {
        setIsAdding(true);
      }}
    >
      New bucket
    </AddButton>
  );
  return (
    <StorageFrame org={org} open="buckets" actions={add}>
      <Usage org={org} />
      <Loaded query={buckets}>
        {(data) =>
          rowsOf(data).length === 0 ? (
            <Empty icon="storage" title="No buckets yet" action={add}>
              <p>A bucket holds files and media of your apps, for any S3 client. Create one here, or in a terminal:</p>
              <div className="mt-4">
                <CopyLine text="service storage buckets create photos" label="The command that creates a bucket" />
              </div>
            </Empty>
          ) : (
            <Buckets org={org} rows={rowsOf(data)} more={<More query={buckets} />} />
          )
        }
      </Loaded>
      <NewBucketDialog
        org={org}
        open={isAdding}
        onClose={() => {
          setIsAdding(false);
        }}
      />
    </StorageFrame>
  );
}

function Usage({ org }: Params): ReactNode {
  const usage = useQuery(storageUsageQuery(org));
  if (usage.data === undefined) return null;
  const { size_bytes: size, reserved_bytes: reserved, quota_bytes: quota, buckets, buckets_limit: limit } = usage.data;
  return (
    <div className="card mb-6 grid gap-4 p-4 sm:grid-cols-2">
      <MeterBar label="Stored" used={size + reserved} limit={quota}>
        {bytesOf(size)} of {bytesOf(quota)}
        {reserved > 0 && `, and ${bytesOf(reserved)} on the way`}
      </MeterBar>
      <MeterBar label="Buckets" used={buckets} limit={limit}>
        {COUNT.format(buckets)} of {COUNT.format(limit)}
      </MeterBar>
    </div>
  );
}

interface BucketsProps extends Params {
  readonly rows: readonly Bucket[];
  readonly more: ReactNode;
}

function Buckets({ org, rows, more }: BucketsProps): ReactNode {
  return (
    <Table
      label="Buckets"
      rows={rows}
      keyOf={({ id }) => id}
      more={more}
      columns={[
        {
          title: 'Name',
          cell: ({ id, name, label }) => (
            <div className="max-w-36 sm:max-w-64">
              <ScreenLink
                to="bucket"
                params={{ org, bucket: id }}
                className="block truncate font-medium hover:underline"
              >
                {name}
              </ScreenLink>
              <span className="text-muted block truncate font-mono text-xs">{label}</span>
            </div>
          ),
        },
        { title: 'Visibility', cell: (bucket) => <Visibility bucket={bucket} /> },
        {
          title: 'Size',
          numeric: true,
          cell: ({ size_bytes: size }) => <span className="whitespace-nowrap">{bytesOf(size)}</span>,
        },
        { title: 'Objects', numeric: true, wideOnly: true, cell: ({ object_count: count }) => COUNT.format(count) },
        {
          title: 'Project',
          wideOnly: true,
          cell: ({ project_id: project }) => <ProjectName org={org} project={project} />,
        },
        {
          title: 'Created',
          wideOnly: true,
          cell: ({ created_at: at }) => <When at={at} />,
        },
      ]}
    />
  );
}

interface NewBucketDialogProps extends Params {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** A new bucket is private. Making it public is a step of its own, with its warning. */
function NewBucketDialog({ org, open, onClose }: NewBucketDialogProps): ReactNode {
  const [, go] = useLocation();
  return (
    <Dialog open={open} title="New bucket" onClose={onClose}>
      <Form
        label="New bucket"
        submit="Create the bucket"
        aside={<Button onClick={onClose}>Cancel</Button>}
        onSubmit={async ({ name = '', project_id: project = '' }) => {
          const made = await api.storage.buckets.create(
            { name, ...(project === '' ? {} : { project_id: project }) },
            { organization: org },
          );
          queries.setQueryData(bucketQuery(org, made.id).queryKey, made);
          void refreshStorage(org);
          go(pathTo('bucket', { org, bucket: made.id }));
        }}
      >
        <Field
          label="Name"
          name="name"
          required
          autoFocus
          minLength={3}
          maxLength={63}
          pattern="[a-z0-9][a-z0-9\-]*[a-z0-9]"
          title="Lower-case letters, digits and hyphens; neither the first nor the last is a hyphen"
          placeholder="photos"
          hint="Lower-case letters, digits and hyphens. S3 clients use it with a few characters after it."
        />
        <ProjectChoice org={org} />
      </Form>
    </Dialog>
  );
}
