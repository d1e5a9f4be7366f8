import { type ReactNode, useEffect } from 'react';
import { Page } from '../ui/page';
import { Tabs } from '../ui/tabs';

interface SandboxFrameProps {
  readonly org: string;
  readonly open: 'sandbox' | 'sandboxSessions';
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** What stands around the editor of programs and the list of sessions. */
export function SandboxFrame({ org, open, actions, children }: SandboxFrameProps): ReactNode {
  useEffect(() => {
    document.title = `${open === 'sandbox' ? 'Sandbox' : 'Sessions'} · Service platform`;
  }, [open]);
  return (
    <Page title="Sandbox" {...(actions !== undefined && { actions })}>
      <Tabs
        label="Sandbox"
        tabs={[
          ['Programs', 'sandbox'],
          ['Sessions', 'sandboxSessions'],
        ]}
        open={open}
        params={{ org }}
      />
      {children}
    </Page>
  );
}
