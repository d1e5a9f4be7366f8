import { useMutation, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { canUseProviders, goToProvider, type ProviderName, PROVIDERS, signInMethodsQuery } from './flows';

interface ProviderButtonsProps {
  /** The words before the name of the provider. */
  readonly words: string;
  /** The address in the app to go to afterwards. */
  readonly next: string;
}

/** A button for each provider that is set up. The browser leaves the app, and comes back signed in. */
export function ProviderButtons({ words, next }: ProviderButtonsProps): ReactNode {
  const methods = useQuery(signInMethodsQuery);
  const leave = useMutation({
    mutationFn: (method: ProviderName) => goToProvider(method, false, next),
  });
  if (!canUseProviders() || methods.data === undefined || methods.data.providers.length === 0) return null;
  return (
    <div className="grid gap-3">
      {leave.isError && <ErrorNote error={leave.error} />}
      {methods.data.providers.map((provider) => (
        <Button
          key={provider}
          wide
          className="h-9"
          busy={leave.isPending}
          onClick={() => {
            leave.mutate(provider);
          }}
        >
          {words} {PROVIDERS[provider]}
        </Button>
      ))}
    </div>
  );
}
