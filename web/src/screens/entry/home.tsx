import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { isSignedOut } from '../../api';
import { lastOrganization, meQuery } from '../../data/me';
import { PATHS, pathTo } from '../../paths';
import { Loaded } from '../../ui/loaded';
import { Frame } from './frame';

/** Leads to the organization that was looked at last, or to the sign-in. */
export function Screen(): ReactNode {
  const me = useQuery(meQuery);
  if (isSignedOut(me.error)) return <Redirect to={PATHS.signIn} replace />;
  if (me.data !== undefined) return <Redirect to={pathTo('projects', { org: lastOrganization(me.data) })} replace />;
  return (
    <Frame title="Service platform">
      <Loaded query={me}>{() => null}</Loaded>
    </Frame>
  );
}
