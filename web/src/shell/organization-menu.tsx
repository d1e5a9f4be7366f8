import type { OrganizationMembership, WhoCalls } from '@service/client';
import type { ReactNode } from 'react';
import { useLocation } from 'wouter';
import { PATHS, pathTo } from '../paths';
import { Avatar } from '../ui/avatar';
import { Icon } from '../ui/icons';
import { Menu } from '../ui/menu';

/** The key `o` presses this button. */
export const ORGANIZATIONS_BUTTON = 'organizations';

interface OrganizationMenuProps {
  readonly organization: OrganizationMembership | undefined;
  readonly all: readonly OrganizationMembership[];
  readonly closed: WhoCalls['closed_organizations'];
}

/** Names the organization and switches to another. */
export function OrganizationMenu({ organization, all, closed }: OrganizationMenuProps): ReactNode {
  const [, go] = useLocation();
  const name = organization?.name ?? ' ';
  return (
    <Menu
      label="Switch the organization"
      buttonId={ORGANIZATIONS_BUTTON}
      buttonClass="hover:bg-sunken flex min-w-0 flex-1 items-center gap-2.5 rounded-md px-2 py-1.5 text-left"
      button={
        <>
          <Avatar name={name} />
          <span className="min-w-0 flex-1 truncate font-semibold">{name}</span>
          {organization !== undefined && <span className="text-muted text-xs capitalize">{organization.plan}</span>}
          <span className="text-muted">
            <Icon name="chevrons" size={14} />
          </span>
        </>
      }
      items={[
        ...all.map((each) => ({
          name: each.name,
          hint: each.role,
          icon: <Avatar name={each.name} />,
          chosen: each.id === organization?.id,
          onChoose: () => {
            go(pathTo('projects', { org: each.slug }));
          },
        })),
        ...closed.map((each) => ({
          name: each.name,
          hint: each.closed_by === 'sso' ? 'needs SSO' : 'needs a second factor',
          icon: <Avatar name={each.name} />,
          onChoose: () => {
            go(each.closed_by === 'sso' ? pathTo('projects', { org: each.slug }) : PATHS.security);
          },
        })),
        {
          name: 'New organization',
          icon: <Icon name="plus" />,
          onChoose: () => {
            go(PATHS.newOrganization);
          },
        },
      ]}
    />
  );
}
