import { type ReactNode, useEffect } from 'react';
import { Page } from '../../ui/page';
import { Tabs } from '../../ui/tabs';

interface KeysFrameProps {
  readonly org: string;
  readonly open: 'keys' | 'connectedApps';
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What stands around the lists of keys and of connected apps. */
export function KeysFrame({ org, open, actions, children }: KeysFrameProps): ReactNode {
  useEffect(() => {
    document.title = `${open === 'keys' ? 'API keys' : 'Connected apps'} · Service platform`;
  }, [open]);
  return (
    <Page title="API keys" {...(actions !== undefined && { actions })}>
      <Tabs
        label="API keys"
        tabs={[
          ['Keys', 'keys'],
          ['Connected apps', 'connectedApps'],
        ]}
        open={open}
        params={{ org }}
      />
      {children}
    </Page>
  );
}
