import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { listenTo } from '../data/events';
import { isSignedOut, organizationWithSso } from '../api';
import { askWhoCalls, lastOrganization, meQuery, refusalQuery, rememberOrganization, wasLookedAt } from '../data/me';
import { PATHS, pathTo } from '../paths';
import { ButtonLink } from '../ui/button';
import { Empty } from '../ui/empty';
import { ErrorNote } from '../ui/error-note';
import { Icon } from '../ui/icons';
import { isSomethingTyped } from '../ui/typed';
import { AccountMenu } from './account-menu';
import { LiveMark } from './live-mark';
import { ORGANIZATIONS_BUTTON, OrganizationMenu } from './organization-menu';
import { OPERATOR_PLACE, OWN_PLACES, PLACES } from './places';
import { useShortcuts } from './shortcuts';
import { signInPath } from './sign-in-path';
import { chooseTheme } from './theme';

/** How often it is asked whether the person has signed in again, in another tab. */
const ASK_AGAIN_MS = 5_000;

const Help = lazy(async () => ({ default: (await import('./help')).Help }));
const Palette = lazy(async () => ({ default: (await import('./palette')).Palette }));

const SsoRequired = lazy(async () => ({ default: (await import('../identities/sso-required')).SsoRequired }));

interface ShellProps {
  /** The organization of the address; for addresses without one, the last one is shown. */
  readonly org: string | undefined;
  readonly children: ReactNode;
}

/** What stands around every screen of a signed-in person. */
export function Shell({ org: named, children }: ShellProps): ReactNode {
  const [here, go] = useLocation();
  const me = useQuery({
    ...meQuery,
    refetchInterval: ({ state }) => (isSignedOut(state.error) ? ASK_AGAIN_MS : false),
  });
  const operator = me.data?.user.operator === true;
  const [open, setOpen] = useState<'palette' | 'help'>();
  const org = named ?? (me.data === undefined ? undefined : lastOrganization(me.data));
  const organization = me.data?.organizations.find(({ id, slug }) => slug === org || id === org);

  useEffect(() => {
    if (organization !== undefined) rememberOrganization(organization.slug);
  }, [organization]);
  const listened = organization?.id;
  useEffect(() => (listened === undefined ? undefined : listenTo(listened)), [listened]);
  const isUnknown = named !== undefined && me.data !== undefined && organization === undefined;
  // It may have been made in another tab a moment ago.
  useEffect(() => {
    if (isUnknown) askWhoCalls();
  }, [isUnknown]);
  const refusal = useQuery({ ...refusalQuery(named ?? ''), enabled: isUnknown });
  const closed = isUnknown ? organizationWithSso(refusal.error) : undefined;
  const isGone = isUnknown && !me.isFetching && !refusal.isFetching && closed === undefined && wasLookedAt(named);
  const nav = useRef<HTMLElement>(null);
  // On a phone the places are a row that scrolls: the one that is open is in view.
  useEffect(() => {
    const row = nav.current!;
    const place = row.querySelector('[aria-current]')?.getBoundingClientRect();
    if (place === undefined) return;
    const { left, width } = row.getBoundingClientRect();
    row.scrollLeft += place.left - left - (width - place.width) / 2;
  }, [here, org]);
  useShortcuts({
    onPalette: () => {
      setOpen('palette');
    },
    onHelp: () => {
      setOpen('help');
    },
    onOrganizations: () => {
      document.getElementById(ORGANIZATIONS_BUTTON)?.click();
    },
    onGo: (key) => {
      const all = [...PLACES, ...OWN_PLACES, ...(operator ? [OPERATOR_PLACE] : [])];
      const place = all.find((each) => each.key === key);
      if (place !== undefined && org !== undefined) go(place.path(org));
    },
  });
  const close = (): void => {
    setOpen(undefined);
  };
  const places = PLACES.map(({ name, icon, path, below }) => {
    const href = org === undefined ? '' : path(org);
    const home = org === undefined ? '' : pathTo('projects', { org });
    const current = here === href || [below ?? []].flat().some((part) => here.startsWith(home + part));
    return (
      <Link
        key={name}
        href={href}
        aria-current={current ? 'page' : undefined}
        className={`flex min-h-8 items-center gap-2.5 rounded-md px-2.5 whitespace-nowrap ${current ? 'bg-accent-soft text-accent-ink font-medium' : 'text-muted hover:bg-sunken hover:text-ink'}`}
      >
        <Icon name={icon} />
        {name}
      </Link>
    );
  });
  return (
    <div className="grid min-h-dvh grid-cols-1 grid-rows-[auto_1fr] md:grid-cols-[248px_1fr] md:grid-rows-1 print:block">
      <a
        href="#main"
        className="focus:bg-accent focus:text-on-accent sr-only focus:not-sr-only focus:absolute focus:z-10 focus:m-2 focus:rounded-md focus:px-3 focus:py-2"
      >
        Skip to content
      </a>
      <header className="print:hidden border-line bg-surface flex min-w-0 flex-col gap-3 border-b p-3 md:sticky md:top-0 md:h-dvh md:border-r md:border-b-0">
        <div className="flex items-center gap-2">
          <OrganizationMenu
            organization={organization}
            all={me.data?.organizations ?? []}
            closed={me.data?.closed_organizations ?? []}
          />
          <div className="md:hidden">
            <AccountMenu username={me.data?.user.username} operator={operator} />
          </div>
        </div>
        <button
          type="button"
          onClick={() => {
            setOpen('palette');
          }}
          className="border-line bg-canvas text-muted hover:text-ink flex h-8 items-center gap-2 rounded-md border px-2.5 text-left"
        >
          <Icon name="search" size={14} />
          <span className="flex-1 truncate">Search…</span>
          <kbd className="kbd hidden whitespace-nowrap md:inline" aria-hidden="true">
            Ctrl K
          </kbd>
        </button>
        <LiveMark />
        <nav ref={nav} aria-label="Main" className="flex gap-0.5 overflow-x-auto md:flex-col md:overflow-visible">
          {places}
        </nav>
        <div className="mt-auto hidden items-center gap-1 md:flex">
          <AccountMenu username={me.data?.user.username} operator={operator} />
          <a
            href="/docs"
            target="_blank"
            rel="noreferrer"
            aria-label="Documentation"
            title="Documentation"
            className="text-muted hover:bg-sunken hover:text-ink ml-auto grid size-8 place-items-center rounded-md"
          >
            <Icon name="docs" />
          </a>
        </div>
      </header>
      <main id="main" tabIndex={-1} className="min-w-0 px-4 py-6 outline-none md:px-10 md:py-8">
        <div className="mx-auto max-w-5xl">
          {me.error !== null && me.data === undefined ? (
            <ErrorNote error={me.error} onRetry={() => void me.refetch()} />
          ) : (
            <>
              {isSignedOut(me.error) && <SignedOut />}
              {isGone && <Gone />}
              {closed !== undefined && (
                <Suspense fallback={null}>
                  <SsoRequired org={closed} />
                </Suspense>
              )}
              {((!isGone && closed === undefined) || isSomethingTyped()) && children}
            </>
          )}
        </div>
      </main>
      {open === 'palette' && org !== undefined && (
        <Suspense fallback={null}>
          <Palette org={org} onClose={close} actions={ACTIONS} />
        </Suspense>
      )}
      {open === 'help' && (
        <Suspense fallback={null}>
          <Help onClose={close} />
        </Suspense>
      )}
    </div>
  );
}

/** The session has ended elsewhere. Who has typed nothing is at the sign-in by now. */
function SignedOut(): ReactNode {
  return (
    <p role="alert" className="bg-warn-soft mb-6 rounded-md p-3">
      You are signed out. What you typed is still here:{' '}
      <a className="link" href={signInPath()} target="_blank" rel="noreferrer">
        sign in in a new tab
      </a>
      , then go on.
    </p>
  );
}

function Gone(): ReactNode {
  return (
    <div className="mb-6">
      <Empty
        icon="members"
        title="You are not in this organization any more"
        action={<ButtonLink href={PATHS.home}>Go to your projects</ButtonLink>}
      >
        It was deleted, or you were removed from it.
      </Empty>
    </div>
  );
}

const ACTIONS = (
  [
    ['Light theme', 'sun', 'light'],
    ['Dark theme', 'moon', 'dark'],
    ['Theme of the system', 'system', 'system'],
  ] as const
).map(([name, icon, theme]) => ({
  name,
  icon,
  kind: 'Action',
  run: () => {
    chooseTheme(theme);
  },
}));
