import { type ReactNode, useEffect } from 'react';
import { Page } from '../ui/page';
import { Tabs } from '../ui/tabs';

interface StorageFrameProps {
  readonly org: string;
  readonly open: 'buckets' | 'storageKeys';
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What stands around the lists of buckets and of access keys. */
export function StorageFrame({ org, open, actions, children }: StorageFrameProps): ReactNode {
  useEffect(() => {
    document.title = `${open === 'buckets' ? 'Storage' : 'Access keys'} · Service platform`;
  }, [open]);
  return (
    <Page title="Storage" {...(actions !== undefined && { actions })}>
      <Tabs
        label="Storage"
        tabs={[
          ['Buckets', 'buckets'],
          ['Access keys', 'storageKeys'],
        ]}
        open={open}
        params={{ org }}
      />
      {children}
    </Page>
  );
}
