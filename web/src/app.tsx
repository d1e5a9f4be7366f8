import { useQuery } from '@tanstack/react-query';
import { lazy, type ComponentType, type ReactNode, Suspense, useEffect } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { isOrganizationLost, isSignedOut, onUnanswered, queries } from './api';
import { askWhoCalls, lastOrganization, meQuery } from './data/me';
import { PATHS, type PathName, pathTo } from './paths';
import { OUTSIDE_SHELL, prepareScreen, SCREENS } from './screens';
import { Confirmation } from './shell/confirmation';
import { ErrorBoundary } from './shell/error-boundary';
import { NotFound } from './shell/not-found';
import { Shell } from './shell/shell';
import { signInPath } from './shell/sign-in-path';
import { Loaded } from './ui/loaded';
import { ScreenPreparation } from './ui/screen-link';
import { Notices } from './ui/notices';
import { isSomethingTyped } from './ui/typed';
import { Skeleton } from './ui/skeleton';

type Params = Readonly<Record<string, string>>;

/** The type of the parameters is checked where screens are declared; here they come from the address. */
const VIEWS = Object.fromEntries(
  Object.entries(SCREENS).map(([name, load]) => [
    name,
    lazy(async () => ({ default: (await load()).Screen as ComponentType<Params> })),
  ]),
) as unknown as Readonly<Record<PathName, ComponentType<Params>>>;

const NAMES = Object.keys(PATHS) as PathName[];
const OUTSIDE = NAMES.filter((name) => OUTSIDE_SHELL.has(name));
const INSIDE = NAMES.filter((name) => !OUTSIDE_SHELL.has(name));

export function App(): ReactNode {
  const [, go] = useLocation();
  useEffect(() => {
    onUnanswered((error) => {
      const isOutside = OUTSIDE.some((name) => PATHS[name] === location.pathname);
      if (isOutside || !(isSignedOut(error) || isOrganizationLost(error))) return;
      if (isSignedOut(error) && !isSomethingTyped()) go(signInPath(), { replace: true });
      // The shell says it, beside what was typed.
      else if (queries.getQueryState(meQuery.queryKey)?.status === 'success') askWhoCalls();
    });
  }, [go]);
  return (
    <ScreenPreparation value={prepareScreen}>
      <ErrorBoundary>
        <Suspense fallback={null}>
          <Switch>
            {routes(OUTSIDE)}
            <Route path={`${PATHS.account}/*?`}>
              <Inside />
            </Route>
            <Route path="/app/~/*">{({ '*': rest }) => <InLastOrganization rest={rest} />}</Route>
            <Route path="/app/operator/*?">
              <Inside />
            </Route>
            <Route path="/app/:org/*?">{({ org }) => <Inside org={org} />}</Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
      <Confirmation />
      <Notices />
    </ScreenPreparation>
  );
}

/** Links in errors do not know the organization: `~` stands for the one that was looked at last. */
function InLastOrganization({ rest }: { readonly rest: string }): ReactNode {
  const me = useQuery(meQuery);
  if (me.data === undefined) return <Loaded query={me}>{() => null}</Loaded>;
  return <Redirect to={`${pathTo('projects', { org: lastOrganization(me.data) })}/${rest}`} replace />;
}

function Inside({ org }: { readonly org?: string | undefined }): ReactNode {
  const [here] = useLocation();
  return (
    <Shell org={org}>
      <ErrorBoundary key={here}>
        <Suspense fallback={<Skeleton lines={4} />}>
          <Switch>
            {routes(INSIDE)}
            <Route>
              <NotFound />
            </Route>
          </Switch>
        </Suspense>
      </ErrorBoundary>
    </Shell>
  );
}

/** Each address has a screen of its own, so that nothing of the last one stays in it. */
function routes(names: readonly PathName[]): ReactNode[] {
  return names.map((name) => {
    const View = VIEWS[name];
    return (
      <Route key={name} path={PATHS[name]}>
        {(params) => <View key={JSON.stringify(params)} {...(params as Params)} />}
      </Route>
    );
  });
}
