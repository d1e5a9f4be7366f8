import { useState, type ReactNode } from 'react';
import { useLocation } from 'wouter';
import { signOut } from '../data/session';
import { PATHS } from '../paths';
import { Avatar } from '../ui/avatar';
import { Icon } from '../ui/icons';
import { Menu } from '../ui/menu';
import { noticeFailure } from '../ui/notices';
import { chooseTheme, themeNow } from './theme';

const THEMES = [
  ['light', 'Light theme', 'sun'],
  ['dark', 'Dark theme', 'moon'],
  ['system', 'Theme of the system', 'system'],
] as const;

interface AccountMenuProps {
  readonly username: string | undefined;
  readonly operator: boolean;
}

export function AccountMenu({ username, operator }: AccountMenuProps): ReactNode {
  const [, go] = useLocation();
  const [theme, setTheme] = useState(themeNow);
  return (
    <Menu
      label="Account and theme"
      buttonClass="hover:bg-sunken flex min-w-0 items-center gap-2 rounded-md px-2 py-1.5"
      button={
        <>
          <Avatar name={username ?? ' '} />
          <span className="hidden max-w-36 truncate md:inline">{username ?? ' '}</span>
        </>
      }
      items={[
        {
          name: 'Account',
          icon: <Icon name="account" />,
          onChoose: () => {
            go(PATHS.account);
          },
        },
        ...(operator
          ? [
              {
                name: 'Operator',
                icon: <Icon name="settings" />,
                onChoose: () => {
                  go(PATHS.operator);
                },
              },
            ]
          : []),
        ...THEMES.map(([value, name, icon]) => ({
          name,
          icon: <Icon name={icon} />,
          chosen: theme === value,
          onChoose: () => {
            chooseTheme(value);
            setTheme(value);
          },
        })),
        {
          name: 'Sign out',
          icon: <Icon name="out" />,
          onChoose: () => {
            signOut().then(() => {
              go(PATHS.signIn);
            }, noticeFailure);
          },
        },
      ]}
    />
  );
}
