import type { Bucket } from '@service/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { bucketQuery } from '../data/storage';
import { pathTo } from '../paths';
import { Copy } from '../ui/copy';
import { Loaded } from '../ui/loaded';
import { Page } from '../ui/page';
import { State } from '../ui/state';
import { Tabs } from '../ui/tabs';

export interface BucketParams {
  readonly org: string;
  readonly bucket: string;
}

interface BucketFrameProps extends BucketParams {
  readonly open: 'bucket' | 'bucketSettings';
  readonly actions?: ReactNode;
  readonly children: (bucket: Bucket) => ReactNode;
}

/** What stands around the screens of one bucket. */
export function BucketFrame({ org, bucket: id, open, actions, children }: BucketFrameProps): ReactNode {
  const query = useQuery(bucketQuery(org, id));
  const { data } = query;
  const name = data?.name;
  useEffect(() => {
    if (name !== undefined) document.title = `${name} · Storage · Service platform`;
  }, [name, open]);
  return (
    <Page
      title={name ?? 'Bucket'}
      above={[['Storage', pathTo('buckets', { org })]]}
      {...(data !== undefined && { state: <Visibility bucket={data} /> })}
      {...(data !== undefined && actions !== undefined && { actions })}
    >
      <Loaded query={query}>
        {(bucket) => (
          <>
            <p className="text-muted -mt-4 mb-4 flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
              <span className="inline-flex min-w-0 items-center gap-1">
                <code className="truncate font-mono text-xs">{bucket.label}</code>
                <Copy text={bucket.label} label="Copy the name for S3 clients" />
              </span>
            </p>
            <Tabs
              label="Bucket"
              tabs={[
                ['Objects', 'bucket'],
                ['Settings', 'bucketSettings'],
              ]}
              open={open}
              params={{ org, bucket: id }}
            />
            {children(bucket)}
          </>
        )}
      </Loaded>
    </Page>
  );
}

export function Visibility({ bucket }: { readonly bucket: Pick<Bucket, 'visibility'> }): ReactNode {
  return bucket.visibility === 'public' ? <State tone="warn">Public</State> : <State tone="quiet">Private</State>;
}
