import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../ui/button';
import { ErrorNote } from '../ui/error-note';
import { hasPasskeys, showPasskey } from './passkey';

interface PasskeyButtonProps {
  readonly onShown: (passkey: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** True where it is what the screen is about. */
  readonly first?: boolean;
}

/** Asks for a passkey, in browsers that know them. */
export function PasskeyButton({ onShown, first = false }: PasskeyButtonProps): ReactNode {
  const use = useMutation({ mutationFn: async () => onShown(await showPasskey()) });
  if (!hasPasskeys()) return null;
  return (
    <div className="grid gap-3">
      {use.isError && <ErrorNote error={use.error} />}
      <Button
        wide
        look={first ? 'primary' : 'plain'}
        autoFocus={first}
        className="h-9"
        busy={use.isPending}
        onClick={() => {
          use.mutate();
        }}
      >
        Use a passkey
      </Button>
    </div>
  );
}
