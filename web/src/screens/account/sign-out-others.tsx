import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api, queries } from '../../api';
import { sessionsQuery } from '../../data/account';
import { Button } from '../../ui/button';
import { ErrorNote } from '../../ui/error-note';

/** Ends every session but the one of this page. */
export function SignOutOthers(): ReactNode {
  const end = useMutation({
    mutationFn: () => api.auth.endOtherSessions(),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
  return (
    <div className="grid gap-3">
      {end.isError && <ErrorNote error={end.error} />}
      <div className="flex flex-wrap items-center gap-4">
        <Button
          busy={end.isPending}
          onClick={() => {
            end.mutate();
          }}
        >
          Sign out all other devices
        </Button>
        <span role="status">{end.isSuccess && 'They are signed out.'}</span>
      </div>
    </div>
  );
}
