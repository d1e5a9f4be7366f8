import type { ReactNode } from 'react';
import { useMay, useOrganization } from '../../data/me';
import { Page } from '../../ui/page';
import { Tabs } from '../../ui/tabs';

interface SettingsFrameProps {
  readonly org: string;
  readonly open: 'settings' | 'sso';
  readonly children: ReactNode;
}

/** What stands around the settings of an organization. Those of a person alone are one screen. */
export function SettingsFrame({ org, open, children }: SettingsFrameProps): ReactNode {
  const organization = useOrganization(org);
  const mayChange = useMay(org, 'orgs:write');
  return (
    <Page title={open === 'sso' ? 'Single sign-on' : 'Settings'}>
      {organization?.personal === false && mayChange && (
        <Tabs
          label="Settings"
          tabs={[
            ['General', 'settings'],
            ['Single sign-on', 'sso'],
          ]}
          open={open}
          params={{ org }}
        />
      )}
      {children}
    </Page>
  );
}
