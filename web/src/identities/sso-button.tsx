import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button, type Look } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { canUseProviders, goToSso, type WantedConnection } from './flows';
import { inPlainWords } from './sso-words';

interface SsoButtonProps extends Look {
  readonly wanted: WantedConnection;
  /** The address in the app to go to afterwards. */
  readonly next: string;
  readonly children: ReactNode;
}

/** Leads to the identity provider of an organization, and back signed in. */
export function SsoButton({ wanted, next, look = 'primary', wide = false, children }: SsoButtonProps): ReactNode {
  const leave = useMutation({ mutationFn: () => goToSso(wanted, next) });
  if (!canUseProviders()) return <p>SSO needs an address of this service that begins with https.</p>;
  return (
    <div className="grid gap-3">
      {leave.isError && <ErrorNote error={inPlainWords(leave.error)} />}
      <Button
        look={look}
        wide={wide}
        className={wide ? 'h-9' : 'justify-self-start'}
        busy={leave.isPending}
        onClick={() => {
          leave.mutate();
        }}
      >
        {children}
      </Button>
    </div>
  );
}
